"""Ticker: commands one fetch for each URL and due time, second by second."""

from collections.abc import Callable, Iterable, Iterator

import structlog

from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.log_ids import trail
from schemas.records.subscription_facts import Subscribed, SubscriptionFact
from schemas.records.table_rows import Scheduled, TickedThrough
from schemas.records.topics import FETCHES, RENDERS, SUBSCRIPTIONS
from schemas.records.urls import host
from schemas.records.waiting import ChangesWaiting
from schemas.records.watches import StatedWatch, Watch, WatchesStated
from streams.agents.ticker.agenda import THROUGH_KEY, Agenda, visit_of
from streams.agents.ticker.commands import by_agent, has_rendered
from streams.agents.ticker.host_paces import HostPaces
from streams.values.outcome import Event, Outcome, Put, Send, in_parts
from streams.values.slots import LEAD_MS, MAX_AHEAD_MS, TICK_MS
from streams.values.url_hashes import hashed_between

log = structlog.get_logger()

REPEATED_MS = 10_000
"""So much is commanded again after a crash, at most: fetch leaves out what it has done. A row for
each partition and second would cost more than the commands."""
STORED_EVERY_MS = 60_000
"""A worker stores so often how far it is though nothing is due: ``vokter doctor`` judges by that
whether the ticker runs, and how its clock is."""


class TickerProcessor:
    """The agent that decides when to fetch, for all partitions of a worker."""

    def __init__(self, partition_of: Callable[[str], int], host_pause_s: float = 0.0) -> None:
        """``partition_of`` returns the partition of a host: one worker fetches all its pages.

        Fetch leaves a host alone for ``host_pause_s`` after a visit, at least.
        """
        self._partition_of = partition_of
        self._paces = HostPaces(host_pause_s)
        self._agendas: dict[int, Agenda] = {}

    def begin(self, partition: int) -> None:
        """Start a partition with an empty agenda."""
        self._agendas[partition] = Agenda(self._paces)

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load a row of the table into memory."""
        self._agendas[partition].load(key, value)

    def tick(self, partition: int, now: int) -> Outcome:
        """Command to fetch what falls due until ``LEAD_MS`` after the next second.

        ``now`` is in epoch ms. A late tick takes no slot of the next one: of two slots of a
        URL only the newest is fetched. Fetch begins each visit at its slot, not all at once.
        """
        agenda = self._agendas[partition]
        # With a clock that was ahead and has been corrected, nothing would be due until then.
        if agenda.through > now + MAX_AHEAD_MS:
            log.warning("the clock was put back", partition=partition, by=agenda.through - now)
            agenda.turn_back(now - 1)
        until = (now // TICK_MS + 1) * TICK_MS + LEAD_MS
        if not agenda.pass_by(until):
            return Outcome(line=FETCHES.name, rest=self._due(agenda, until))
        is_stale = partition == min(self._agendas) and until - agenda.stored >= STORED_EVERY_MS
        return Outcome(puts=(_stored(agenda),)) if is_stale else Outcome()

    def released(self) -> None:
        """Drop the memory of all partitions."""
        self._agendas.clear()
        self._paces.clear()

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        agendas = self._agendas.values()
        return {
            "watches": sum(map(len, agendas)),
            "due_times": sum(agenda.entries for agenda in agendas),
        }

    def decide(self, event: Event) -> Outcome:
        """Start, change or end a watch."""
        agenda = self._agendas[event.partition]
        if isinstance(event.fact, WatchesStated):
            return self._compare(event.fact, agenda)
        if isinstance(event.fact, ChangesWaiting):
            return Outcome()  # it is for listings
        return self._watch(event.fact, event.fact.at, agenda)

    def _due(self, agenda: Agenda, until: int) -> Iterator[Outcome]:
        """Command what is due, a part at a time: after a downtime, a million may be overdue."""
        while agenda.through < until:
            sends = tuple(self._fetch_commands(agenda.tick(until)))
            # The row comes last: a crash before it repeats the same slots.
            is_stored = agenda.through == until and until - agenda.stored >= REPEATED_MS
            yield Outcome(sends, (_stored(agenda),) if is_stored else ())

    def _compare(self, fact: WatchesStated, agenda: Agenda) -> Outcome:
        """Follow the register where a watch differs: an earlier fact of it was lost."""
        # At once: a later fact of a watch must not be decided before what is stated of it.
        sends: list[Send] = []
        puts: list[Put] = []
        for stated in fact.watches:
            outcome = self._watch(stated, fact.at, agenda)
            if outcome.puts:
                log.warning(
                    "watch repaired", url=stated.url, **trail(stated), was="not as registered"
                )
            sends += outcome.sends
            puts += outcome.puts
        rest = self._forget_unregistered(fact, agenda, agenda.begin_comparison())
        return Outcome(tuple(sends), tuple(puts), line=SUBSCRIPTIONS.name, rest=rest)

    def _forget_unregistered(
        self, fact: WatchesStated, agenda: Agenda, begun: int
    ) -> Iterator[Outcome]:
        named = {stated.url for stated in fact.watches}
        try:
            own = yield from in_parts(hashed_between(agenda.urls(), fact.first, fact.last))
            for _, url in own:
                known = agenda.get(url)
                # One that began later is not stated yet, whatever the clocks say.
                is_later = agenda.is_put_since(begun, url)
                if known is None or url in named or is_later or known.since >= fact.at:
                    continue
                log.warning("watch repaired", url=url, **trail(known), was="not registered")
                yield self._forget(known, agenda)
        finally:
            agenda.end_comparison()

    def _watch(self, fact: SubscriptionFact | StatedWatch, at: int, agenda: Agenda) -> Outcome:
        """Follow a fact to the watch that results; a new or resumed one is due at once.

        So is one with a new view, or that a client asked to check. ``at`` is when the fact held
        (epoch ms).
        """
        known, url = agenda.get(fact.url), fact.url
        if known is not None and at < known.since:
            return Outcome()  # repeated after a crash: it is older than this watch
        if fact.watch is None:
            return Outcome() if known is None else self._forget(known, agenda)
        checked = 0 if known is None else known.check
        check = max(checked, fact.check if isinstance(fact, Subscribed) else 0)
        if known is not None and known.watch == fact.watch and check == checked:
            return Outcome()
        continues = known is not None and known.watch.id == fact.watch.id and not known.watch.paused
        since, was_rendered = at, False
        if known is not None:
            since = known.since if continues else at
            was_rendered = known.rendered
        rendered = was_rendered or has_rendered(fact.watch.views)
        scheduled = Scheduled(url, fact.watch, since, rendered, check)
        agenda.put(scheduled)
        log.info("scheduled", url=url, **trail(fact), interval=fact.watch.interval)
        # A new view must not make the failures of the others count faster.
        interval = fact.watch.interval if continues else None
        due = []
        if not continues or _has_new_view(fact.watch, known):
            watch = fact.watch
            due = [Due(url, watch.id, at, watch.views, watch.managers, interval)]
        if checked < check <= agenda.through:  # a later one is planned
            due.append(visit_of(scheduled, check))
        sends = () if fact.watch.paused else tuple(self._fetch_commands(due))
        return Outcome(sends, (Put(url.encode(), scheduled),))

    def _forget(self, known: Scheduled, agenda: Agenda) -> Outcome:
        agenda.drop(known.url)
        log.info("no longer scheduled", url=known.url, **trail(known))
        partition = self._partition_of(host(known.url))
        forget = Forget(known.url, known.watch.id)
        sends = [Send(FETCHES.name, None, forget, partition)]
        if known.rendered:  # a visit of a browser may still write
            sends.append(Send(RENDERS.name, None, forget, partition))
        return Outcome(tuple(sends), (Put(known.url.encode(), None),))

    def _fetch_commands(self, due: Iterable[Due]) -> Iterator[Send]:
        """Yield a command for each URL and topic; ``joined_commands`` makes few of many."""
        for each in due:
            log.debug("due", url=each.url, watch=each.watch, slot=each.slot)
            partition = self._partition_of(host(each.url))
            plain, in_browser = by_agent(each)
            if plain is not None:
                yield Send(FETCHES.name, None, FetchDue((plain,)), partition)
            if in_browser is not None:
                yield Send(RENDERS.name, None, FetchDue((in_browser,)), partition)


def _stored(agenda: Agenda) -> Put:
    """Return the row of how far an agenda is."""
    agenda.stored = agenda.through
    return Put(THROUGH_KEY, TickedThrough(agenda.through))


def _has_new_view(watch: Watch, known: Scheduled | None) -> bool:
    """Whether a view has no baseline yet, or a crawl waits for its links.

    Its subscription counts on changes from now on.
    """
    before = {view.id: view.links for view in known.watch.views} if known is not None else {}
    return any(view.links > before.get(view.id, -1) for view in watch.views)
