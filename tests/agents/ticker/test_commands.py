"""Commands to fetch that are joined: a few messages for each partition."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.fetches import Due, FetchDue, Forget
from streams.agents.ticker.commands import MAX_DUE, joined_commands
from streams.values.outcome import Send
from streams.values.views import view_weight
from tests.fakes.views import views


def due(number: int) -> FetchDue:
    return FetchDue((Due(f"https://a.test/{number}", "w", number),))


def order(sends: list[Send]) -> dict[tuple[str, int | None], list[Due | Forget]]:
    """Return what is commanded in each partition, in its order."""
    found: defaultdict[tuple[str, int | None], list[Due | Forget]] = defaultdict(list)
    for send in sends:
        place = found[send.topic, send.partition]
        if isinstance(send.record, FetchDue):
            place += send.record.due
        elif isinstance(send.record, Forget):
            place.append(send.record)
    return found


RECORDS = st.one_of(
    st.integers(0, 9).map(due), st.integers(0, 9).map(lambda n: Forget(f"https://a.test/{n}", "w"))
)
SENDS = st.builds(
    lambda topic, partition, record: Send(topic, None, record, partition),
    st.sampled_from(["fetches", "renders"]),
    st.integers(0, 2),
    RECORDS,
)


@given(st.lists(SENDS))
def test_what_is_commanded_in_a_partition_stays_as_it_is_and_in_order(sends: list[Send]) -> None:
    assert order(list(joined_commands(sends))) == order(sends)


def test_a_second_is_a_message_for_each_partition() -> None:
    sends = [Send("fetches", None, due(number), number % 64) for number in range(64 * 4)]
    assert len(list(joined_commands(sends))) == 64


def test_no_message_is_too_large() -> None:
    read = views(*(f"text/{n}" for n in range(7)))
    every = [Due(f"https://a.test/{number}", "w", 0, read) for number in range(MAX_DUE)]
    sends = joined_commands(Send("fetches", None, FetchDue((each,)), 0) for each in every)
    sizes = [
        sum(view_weight(view) for each in send.record.due for view in each.views)
        for send in sends
        if isinstance(send.record, FetchDue)
    ]
    assert max(sizes) <= MAX_DUE < sum(sizes)
