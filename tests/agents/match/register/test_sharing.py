"""Memory of the register: a URL with one subscription is small, and counts as one with many does.

Registrations share equal options, however they came into memory.
"""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Registration
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.registrations import NOTHING, Registrations, shared_options
from streams.agents.match.register.watch_uses import WatchUses
from streams.values.views import watched_view

URL = "https://example.org/"
OPTIONS = st.builds(
    Options,
    interval=st.sampled_from([60, 600]),
    max_interval=st.sampled_from([None, 900]),
    content_type=st.sampled_from([None, "text/plain"]),
    max_failures=st.sampled_from([None, 0, 3]),
    notify_failures=st.booleans(),
    patience=st.sampled_from([None, 60]),
    scope=st.sampled_from(["sentence", "document"]),
)


def subscription(number: int, options: Options, manager: str = "default") -> Subscription:
    return Subscription(
        id=f"id-{number}",
        watch="watch",
        manager=manager,
        document_url=URL,
        url=URL,
        receiver=Receiver(session=f"reader-{number}"),
        keywords=("argus",),
        options=options,
        created=1,
        view_id=watched_view(options, manager).id,
    )


SUBSCRIPTIONS = st.builds(
    lambda each, paused, links: replace(each, paused=paused, links_since=links),
    st.builds(subscription, st.integers(0, 2), OPTIONS, st.sampled_from(["default", "news"])),
    st.booleans(),
    st.sampled_from([0, 5]),
)


def key(number: int) -> bytes:
    return f"{URL}\0{number}".encode()


def row(begun: Subscription | None) -> Registration:
    return replace(NOTHING, subscription=begun, at=1)


@given(st.lists(st.tuples(st.integers(0, 2), st.none() | SUBSCRIPTIONS), max_size=8))
def test_one_subscription_or_many_make_the_watch_that_counting_all_of_them_makes(
    changes: list[tuple[int, Subscription | None]],
) -> None:
    known, active = Registrations(), dict[int, Subscription]()
    for number, after in changes:
        resulting = known.resulting(key(number), row(after))
        known.put(key(number), row(after))
        active.pop(number, None)
        if after is not None:
            active[number] = after
        counted = WatchUses(*active.values())
        assert known.watch() == resulting == counted.watch()
        assert set(known.managers(0)) == {each.manager for each in active.values()}
        assert known.counted.views.in_use() == counted.views.in_use()


def test_equal_options_of_rows_that_are_loaded_are_one_object() -> None:
    memory = RegisterMemory()
    for number in range(2):
        memory.load(key(number), wire.encode(row(subscription(number, Options(interval=61)))))
    first, second = (memory.registration(key(number)).subscription for number in range(2))
    assert first is not None
    assert second is not None
    assert first.id != second.id
    assert first.options is second.options
    assert first.document_url is first.url


def test_no_more_options_are_shared_than_there_is_room_for() -> None:
    for seconds in range(1_000, 2_000):
        assert shared_options(Options(interval=seconds)).interval == seconds
    info = shared_options.cache_info()
    assert info.maxsize == info.currsize == 256
