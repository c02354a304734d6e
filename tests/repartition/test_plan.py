"""Adding partitions, interrupted at any step and done again, ends in the same state.

The steps write to logs in memory, in the order in which the shell writes to the real ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.deliveries import Delivered
from schemas.records.fetches import Due, FetchDue
from schemas.records.judgements import HeldJudgement, Judge, Judging
from schemas.records.percolations import DropQuery, Interest, StoreQuery, TermFilter
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Queued, TickedThrough
from schemas.records.urls import host
from streams.agents.deliver.outbox.recipients import FAILING, PROOF, Recipient, day_key
from streams.agents.match.register.memory import INTEREST, TERM_FILTER, filter_key, interest_key
from streams.agents.match.register.registrations import NOTIFIED
from streams.agents.ticker.agenda import THROUGH_KEY
from streams.app import AGENTS
from streams.matching.terms.interests import Interests
from streams.matching.terms.term_filters import closed, filled, filter_for
from streams.matching.terms.terms import partition_of_term
from streams.repartition.growth import Growth
from streams.repartition.message_moves import placed_messages
from streams.repartition.positions import CopyPositions
from streams.repartition.row_moves import EARLIER, PLACES, RowBefore, TableContext, changed_rows
from streams.values.partitions import partition_of
from streams.values.steps import completed
from tests.fakes.notifications import NOTIFICATION

FORMER, PARTITIONS = 2, 6
GROWTH = Growth(FORMER, PARTITIONS, partition_of)
URLS = [f"https://{name}.example/" for name in "abcdefghijkl"]

Table = list[dict[bytes, bytes]]
"""The rows of each partition."""


class Killed(Exception):
    """The command ended here."""


@dataclass
class Budget:
    """How many writes are made before the command is killed."""

    left: int

    def spend(self) -> None:
        if self.left == 0:
            raise Killed
        self.left -= 1


def move_rows(table: str, rows: Table, budget: Budget) -> None:
    """Copy, then replace, as ``streams.repartition.tables`` does."""
    for number in range(FORMER):
        changed = []
        for key, value in list(rows[number].items()):
            row = RowBefore(number, key, value, TableContext(2**40))
            copies, stays = changed_rows(row, PLACES[table](row, GROWTH))
            for each in copies:
                if each.is_spare and each.key in rows[each.partition]:
                    continue
                budget.spend()
                rows[each.partition][each.key] = each.value
            if stays != value:
                changed.append((key, stays))
        for key, stays in sorted(changed, reverse=True):
            budget.spend()
            if stays is None:
                del rows[number][key]
            else:
                rows[number][key] = stays


def subscription(name: str) -> Subscription:
    return Subscription(
        id=name,
        watch="",
        url="pages:*",
        document_url="pages:*",
        manager="default",
        receiver=Receiver("https://client.example/"),
        keywords=("argus",),
        options=Options(),
        created=0,
    )


def interests(
    terms: frozenset[int], everything: bool, filtered: frozenset[int] = frozenset()
) -> Iterator[tuple[int, bytes, bytes]]:
    for asking in range(FORMER):
        own = tuple(sorted(term for term in terms if term % FORMER == asking))
        all_of = everything and partition_of_term(None, "m", FORMER) == asking
        beneath = [term for term in filtered if term % FORMER == asking]
        made = 7 if beneath else None
        interest = Interest("m", asking, own, False, all_of, blocks=False, filter_made=made)
        for number in range(FORMER):
            if own or all_of or beneath:
                yield number, interest_key(interest), wire.encode(interest)
            if beneath:
                filter_of = closed(term_filter(beneath), "m", asking, 7)
                yield number, filter_key(filter_of), wire.encode(filter_of)


def term_filter(terms: list[int]) -> Any:
    return completed(filled(filter_for(len(terms)), terms))


def knowledge(rows: dict[bytes, bytes]) -> Interests:
    """Return what a partition of match knows by its rows."""
    found = Interests()
    for key, value in rows.items():
        if key.startswith(TERM_FILTER):
            found.put_filter(wire.decode(value, TermFilter))
        else:
            found.put(wire.decode(value, Interest))
    return found


def watches(urls: set[str]) -> Iterator[tuple[int, bytes, bytes]]:
    for number in range(FORMER):
        yield number, THROUGH_KEY, wire.encode(TickedThrough(number + 1))
    for url in urls:
        yield partition_of(url, FORMER), url.encode(), b"a watch"


def registrations(urls: set[str]) -> Iterator[tuple[int, bytes, bytes]]:
    for url in urls:
        yield partition_of(url, FORMER), NOTIFIED + url.encode(), b"how far"
        yield partition_of(url, FORMER), f"{url}\0who".encode(), b"a registration"


def ends(urls: set[str]) -> Iterator[tuple[int, bytes, bytes]]:
    for url in urls:
        fact = Delivered("n", "s", "m", url, 1, 200, 0)
        yield partition_of(url, FORMER), url.encode(), wire.encode(fact)


def receivers(urls: set[str]) -> Iterator[tuple[int, bytes, bytes]]:
    for url in urls:
        recipient = Recipient("m", url)
        yield partition_of(url, FORMER), recipient.key(FAILING), b"since when it fails"
        yield partition_of(url, FORMER), recipient.key(PROOF), b"when it has answered"


def queries(terms: frozenset[int], since: int) -> Iterator[tuple[int, bytes, bytes]]:
    for number in range(FORMER):
        own = tuple(sorted(term for term in terms if term % FORMER == number))
        if own:
            leaving = since > 0 and number == 0
            query = StoreQuery(subscription("id"), own, False, since, leaving)
            yield number, b"id", wire.encode(query)


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, Table]:
    """Draw a table with rows that are where they belong."""
    urls = draw(st.sets(st.sampled_from(URLS)))
    terms = draw(st.frozensets(st.integers(0, 40)))
    several = {
        "watches": watches(urls),
        "subscriptions": chain(
            registrations(urls),
            interests(terms, draw(st.booleans()), draw(st.frozensets(st.integers(0, 40)))),
        ),
        "delivered": ends(urls),
        "receivers": receivers(urls),
        "queries": queries(terms, draw(st.integers(0, 1))),
    }
    name = draw(st.sampled_from(list(several)))
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in several[name]:
        rows[number][key] = value
    return name, rows


def replaced_lately(*terms: int) -> Table:
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in queries(frozenset(terms), since=1):
        rows[number][key] = value
    return rows


def filtered_and_listed() -> Table:
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in interests(frozenset({0, 1, 2}), False, frozenset({0})):
        rows[number][key] = value
    return rows


@example(("queries", replaced_lately(1, 3)), [40])
@example(("subscriptions", filtered_and_listed()), [19])
@given(tables(), st.lists(st.integers(0, 40), max_size=4))
def test_rows_that_are_moved_with_interruptions_end_where_they_do_without(
    table: tuple[str, Table], kills: list[int]
) -> None:
    name, before = table
    once = [dict(each) for each in before]
    move_rows(name, once, Budget(-1))
    again = [dict(each) for each in before]
    for kill in kills:
        try:
            move_rows(name, again, Budget(kill))
        except Killed:
            continue
    move_rows(name, again, Budget(-1))
    assert again == once


@given(tables())
def test_each_row_is_where_it_will_be_looked_for_and_none_is_lost(
    table: tuple[str, Table],
) -> None:
    name, before = table
    rows = [dict(each) for each in before]
    move_rows(name, rows, Budget(-1))
    for number, own in enumerate(rows):
        for key in own:
            url = key.removeprefix(NOTIFIED).partition(b"\0")[0].decode()
            if url in URLS:
                assert number == partition_of(url, PARTITIONS)
    assert _lasting_keys(before) == _lasting_keys(rows)


def _lasting_keys(rows: Table) -> set[bytes]:
    of_percolate = INTEREST, TERM_FILTER  # their keys have a partition
    return {key for own in rows for key in own if not key.startswith(of_percolate)}


@given(st.frozensets(st.integers(0, 60)), st.booleans())
def test_each_partition_of_match_knows_which_partition_wants_a_term(
    terms: frozenset[int], everything: bool
) -> None:
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in interests(terms, everything):
        rows[number][key] = value
    move_rows("subscriptions", rows, Budget(-1))
    for own in rows:
        found = [wire.decode(value, Interest) for value in own.values()]
        assert {(each.partition, term) for each in found for term in each.terms} == {
            (term % PARTITIONS, term) for term in terms
        }
        wanting = {each.partition for each in found if each.everything}
        assert wanting == ({partition_of_term(None, "m", PARTITIONS)} if everything else set())


@given(st.frozensets(st.integers(0, 60)), st.frozensets(st.integers(0, 60)))
def test_a_filter_covers_its_terms_wherever_they_belong_now(
    terms: frozenset[int], filtered: frozenset[int]
) -> None:
    rows: Table = [{} for _ in range(PARTITIONS)]
    waiting: list[list[Any]] = [[] for _ in range(PARTITIONS)]
    for number, key, value in interests(terms, False, filtered):
        rows[number][key] = value
        fact = wire.decode(value, Interest, TermFilter)
        for each in placed_messages(number, None, fact, GROWTH):
            waiting[each.partition].append(each.record)
    move_rows("subscriptions", rows, Budget(-1))
    for number, own in enumerate(rows):
        by_messages = Interests()
        for fact in waiting[number]:
            put = by_messages.put_filter if isinstance(fact, TermFilter) else by_messages.put
            put(fact)
        for term in terms | filtered:
            asked = {term % PARTITIONS: {term}}
            for known in (knowledge(own), by_messages):
                assert completed(known.partitions("m", asked, asked)) == [term % PARTITIONS]


@given(st.frozensets(st.integers(0, 40)), st.integers(0, 1))
def test_what_was_replaced_lately_is_still_in_doubt_and_leaving_where_its_words_are(
    terms: frozenset[int], since: int
) -> None:
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in queries(terms, since):
        rows[number][key] = value
    move_rows("queries", rows, Budget(-1))
    found = [
        (n, wire.decode(each, StoreQuery)) for n, own in enumerate(rows) for each in own.values()
    ]
    assert {(number, term) for number, each in found for term in each.terms} == {
        (term % PARTITIONS, term) for term in terms
    }
    for number, each in found:
        leaves = since > 0 and (number % FORMER == 0 or not each.terms)
        assert (each.since, each.leaving) == (since, leaves)


@given(st.frozensets(st.integers(0, 40), min_size=1), st.integers(0, 1))
def test_what_was_replaced_lately_is_in_each_partition_to_which_match_may_still_send_changes(
    terms: frozenset[int], since: int
) -> None:
    """Match may know by its former words only where it was."""
    rows: Table = [{} for _ in range(PARTITIONS)]
    for number, key, value in queries(terms, since):
        rows[number][key] = value
    here = {number for number, own in enumerate(rows) if own}
    move_rows("queries", rows, Budget(-1))
    children = {child for number in here for child in GROWTH.children(number)}
    with_words = {term % PARTITIONS for term in terms}
    assert {n for n, own in enumerate(rows) if own} == (children if since else with_words)


@pytest.mark.parametrize(("since", "elsewhere"), [(0, DropQuery("id")), (7, None)])
def test_a_subscription_that_waits_to_be_stored_leaves_where_it_has_no_word(
    since: int, elsewhere: DropQuery | None
) -> None:
    query = StoreQuery(subscription("id"), (3,), False, since)
    left = elsewhere or replace(query, terms=(), leaving=True)
    copies = {each.partition: each.record for each in placed_messages(1, None, query, GROWTH)}
    assert copies == {1: left, 3: query, 5: left}


@given(st.integers(0, 20), st.sampled_from(["https://a.example/", "https://b.example/"]))
def test_what_waits_from_a_former_log_of_notifications_is_kept_and_comes_first(
    place: int, client: str
) -> None:
    """Where the topic was created again its offsets began again: 10 and more are of the former."""
    done, end = 5, 10
    notification = replace(NOTIFICATION, receiver=Receiver(client))
    queued = Queued(notification, attempts=1, due=1, place=place, redelivery=None)
    number = partition_of(client, FORMER)
    row = RowBefore(number, b"id", wire.encode(queued), TableContext(done, end=end))
    found = list(PLACES["outbox"](row, GROWTH))
    if done <= place < end:
        assert found == [], "its notification is handled again"
        return
    (placed,) = found
    assert placed.partition == partition_of(client, PARTITIONS)
    now = wire.decode(placed.value, Queued).place
    assert now < 0 if place >= end or placed.partition != number else now == place
    assert (now < -EARLIER) == (place >= end)
    again = RowBefore(number, b"id", placed.value, TableContext(done, end=2 * end))
    if placed.partition == number:
        assert list(PLACES["outbox"](again, GROWTH)) == found


def test_the_count_of_a_day_is_looked_for_wherever_its_subscription_is_notified() -> None:
    row = RowBefore(0, day_key("of a subscription"), b"a count", TableContext())
    placed = PLACES["receivers"](row, GROWTH)
    assert [each.partition for each in placed] == list(GROWTH.children(0))


@pytest.mark.parametrize("url", URLS)
def test_what_waits_for_a_model_goes_where_its_page_is_judged_and_keeps_its_order(url: str) -> None:
    number = partition_of(url, FORMER)
    rows = [
        RowBefore(number, b"id", wire.encode(held), TableContext())
        for place in (3, 4)
        for held in [HeldJudgement(Judge(NOTIFICATION, url, Judging("a")), place, 5, 0, 1)]
    ]
    (first,), (second,) = (list(PLACES["held"](row, GROWTH)) for row in rows)

    assert first.partition == second.partition == partition_of(url, PARTITIONS)
    places = [wire.decode(each.value, HeldJudgement).place for each in (first, second)]
    assert places[0] < places[1] < 5, "they come before what is new there"


def test_the_places_of_all_tables_are_known() -> None:
    assert PLACES.keys() == {table.name for agent in AGENTS.values() for table in agent.tables}


@dataclass
class Log:
    """A topic: each message has a key, where it was first, and the id of a move."""

    partitions: list[list[tuple[str, int, bool]]] = field(
        default_factory=lambda: [[] for _ in range(PARTITIONS)]
    )

    def append(self, partition: int, message: tuple[str, int, bool]) -> int:
        self.partitions[partition].append(message)
        return len(self.partitions[partition]) - 1


def move_messages(
    log: Log, committed: Mapping[str, tuple[int, ...]], budget: Budget
) -> dict[str, tuple[int, ...]]:
    """Copy what waits, as ``streams.repartition.messages`` does."""
    ends = tuple(map(len, log.partitions))
    positions = CopyPositions(committed, ends)
    for number in range(PARTITIONS):
        begin = min(each[number] for each in committed.values()) if number < FORMER else 0
        for offset in range(begin, ends[number]):
            key, order, is_copy = log.partitions[number][offset]
            if is_copy:
                continue
            for each in placed_messages(number, key.encode(), None, GROWTH):
                budget.spend()
                copy = log.append(each.partition, (key, order, True))
                positions.note((number, offset), [(each.partition, copy)])
    return positions.begins()


@given(
    st.lists(st.sampled_from(URLS), max_size=30),
    st.lists(st.sampled_from(URLS), max_size=5),
    st.lists(st.integers(0, 30), max_size=3),
    st.data(),
)
def test_each_agent_reads_what_it_had_not_read_once_and_in_the_order_of_each_key(
    keys: list[str], late: list[str], kills: list[int], data: st.DataObject
) -> None:
    log = Log()
    for order, key in enumerate(keys):
        log.append(partition_of(key, FORMER), (key, order, False))
    committed = {
        agent: tuple(
            data.draw(st.integers(0, len(log.partitions[number]))) for number in range(FORMER)
        )
        for agent in ("match", "record")
    }
    unread = {
        agent: [
            message
            for number in range(FORMER)
            for message in log.partitions[number][offsets[number] :]
        ]
        for agent, offsets in committed.items()
    }
    for kill in kills:
        try:
            move_messages(log, committed, Budget(kill))
        except Killed:
            continue
    for order, key in enumerate(late, len(keys)):
        log.append(partition_of(key, PARTITIONS), (key, order, False))
    begins = move_messages(log, committed, Budget(-1))
    for agent, offsets in begins.items():
        for url in URLS:
            own = log.partitions[partition_of(url, PARTITIONS)]
            begin = offsets[partition_of(url, PARTITIONS)]
            read = [order for key, order, _ in own[begin:] if key == url]
            wanted = [order for key, order, _ in unread[agent] if key == url]
            wanted += [len(keys) + at for at, key in enumerate(late) if key == url]
            assert read == wanted


@given(st.sets(st.sampled_from(URLS), min_size=1))
def test_a_command_to_fetch_is_divided_by_host(urls: set[str]) -> None:
    for number in range(FORMER):
        due = tuple(Due(url, "w", 1) for url in urls if partition_of(host(url), FORMER) == number)
        copies = list(placed_messages(number, None, FetchDue(due), GROWTH))
        found = {
            (each.partition, one.url)
            for each in copies
            for one in (each.record.due if isinstance(each.record, FetchDue) else ())
        }
        assert found == {(partition_of(host(one.url), PARTITIONS), one.url) for one in due}
