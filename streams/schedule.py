"""schedule: the ticker. Commands one fetch per URL and due time."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import structlog

from schemas.facts import Due, FetchDue, Forget, SubscriptionFact, Tick
from schemas.state import Scheduled, TickedThrough
from schemas.trail import trail
from schemas.urls import host
from streams.core.outcome import Event, Outcome, Put, Send
from streams.core.schedule.agenda import THROUGH, Agenda
from streams.core.schedule.due import AHEAD, TICK
from streams.topics import FETCHES, TICKS

log = structlog.get_logger()

MAX_DUE = 300
"""URLs in one command, so that it stays below Kafka's 1 MB even with the longest of them."""


class FutureError(Exception):
    """A tick to a time that has not come: all that falls due until then would be passed over."""


class ScheduleStage:
    """The stage; ``partition_of`` gives the partition of a host."""

    def __init__(self, partition_of: Callable[[str], int]) -> None:
        """Fetches are partitioned by host, so that one worker is polite to it."""
        self._partition_of = partition_of
        self._agendas: dict[int, Agenda] = {}

    def begin(self, partition: int) -> None:
        """Start over with an empty agenda."""
        self._agendas[partition] = Agenda()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Take one row of the table."""
        self._agendas[partition].load(key, value)

    def tick(self, partition: int, now: int) -> Iterator[Send]:
        """Give the command that has a partition worked off to the end of the tick at ``now`` (ms).

        Fetch begins at each slot, not all at once. The command's handling may touch the
        table; a timer may not. What was worked off ahead of our time, by a clock that has
        been put right since, would have nothing due until then.
        """
        agenda = self._agendas[partition]
        if agenda.through > now + AHEAD:
            log.warning("the clock was put back", partition=partition, by=agenda.through - now)
            agenda.turn_back(now - 1)
        yield Send(TICKS.name, None, Tick(now + TICK), partition)

    def sizes(self) -> dict[str, int]:
        """Count what is in memory."""
        return {"watches": sum(map(len, self._agendas.values()))}

    def decide(self, event: Event) -> Outcome:
        """Take up or drop a watch, or command what fell due."""
        agenda = self._agendas[event.partition]
        if isinstance(event.fact, Tick):
            if event.fact.time > event.timestamp + AHEAD:
                raise FutureError(f"{event.fact.time} ms is after {event.timestamp} ms")
            return self._work_off(event.fact, agenda)
        return self._watch(event.fact, agenda)

    def _work_off(self, command: Tick, agenda: Agenda) -> Outcome:
        if command.time <= agenda.through:
            return Outcome()
        sends = tuple(self._fetch(agenda.tick(command.time)))
        return Outcome(sends, (Put(THROUGH, TickedThrough(command.time)),))

    def _watch(self, fact: SubscriptionFact, agenda: Agenda) -> Outcome:
        """Every fact carries the watch that results; a new or resumed one is due at once."""
        known, url = agenda.get(fact.url), fact.url
        if known is not None and fact.at < known.since:
            return Outcome()  # told again after a crash: what came before this watch began
        if fact.watch is None:
            return Outcome() if known is None else self._forget(known, agenda)
        if known is not None and known.watch == fact.watch:
            return Outcome()
        goes_on = known is not None and known.watch.id == fact.watch.id and not known.watch.paused
        scheduled = Scheduled(url, fact.watch, known.since if known and goes_on else fact.at)
        agenda.put(scheduled)
        log.info("scheduled", url=url, **trail(fact), interval=fact.watch.interval)
        due = Due(url, fact.watch.id, fact.at, fact.watch.content_type)
        begins = not goes_on and not fact.watch.paused
        sends = tuple(self._fetch([due])) if begins else ()
        return Outcome(sends, (Put(url.encode(), scheduled),))

    def _forget(self, known: Scheduled, agenda: Agenda) -> Outcome:
        agenda.drop(known.url)
        log.info("no longer scheduled", url=known.url, **trail(known))
        partition = self._partition_of(host(known.url))
        send = Send(FETCHES.name, None, Forget(known.url, known.watch.id), partition)
        return Outcome((send,), (Put(known.url.encode(), None),))

    def _fetch(self, due: Iterable[Due]) -> Iterator[Send]:
        """One command per partition, of all that is due there."""
        by_partition: defaultdict[int, list[Due]] = defaultdict(list)
        for each in due:
            log.debug("due", url=each.url, watch=each.watch, slot=each.slot)
            by_partition[self._partition_of(host(each.url))].append(each)
        for partition, several in by_partition.items():
            for start in range(0, len(several), MAX_DUE):
                command = FetchDue(tuple(several[start : start + MAX_DUE]))
                yield Send(FETCHES.name, None, command, partition)
