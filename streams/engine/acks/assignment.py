"""The input partitions that a stage is assigned, and how far each of them is done."""

from collections.abc import Mapping
from typing import Any

from aiokafka import TopicPartition

from streams.engine.acks.breaker import CrashBreaker
from streams.engine.acks.gaps import Log, is_shortened, pass_gap
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.notes import Note
from streams.engine.acks.room import Room

Ledgers = Mapping[TopicPartition, Ledger]


class Assignment:
    """The ledgers of the partitions that a stage is assigned; ``begin`` starts the next ones."""

    def __init__(self, log: Log, room: Room, breaker: CrashBreaker) -> None:
        """Begin without partitions; events are taken while ``room`` is open."""
        self.ledgers: dict[TopicPartition, Ledger] = {}
        # Inputs with logs that were cut short: their committed offsets must go back.
        self.shortened: set[TopicPartition] = set()
        self.breaker = breaker
        # Partitions that had nothing left to handle when they were assigned.
        self._idle: set[TopicPartition] = set()
        self._log = log
        self._room = room

    async def log_ends(self, committed: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        """Return the offset of the next message to come in each partition, before ``begin``."""
        bounds = await self._log.all_bounds(list(committed))
        ends = {tp: end for tp, (_, end) in bounds.items()}
        self._idle = {tp for tp, end in ends.items() if committed[tp] >= end}
        return ends

    def begin(
        self,
        committed: Mapping[TopicPartition, int | None],
        notes: Mapping[TopicPartition, Note],
    ) -> None:
        """Begin with other partitions, with their committed offsets and their owners' notes."""
        # A new dict, so that ``is_current`` can tell the assignments apart.
        self.ledgers = {tp: Ledger(offset) for tp, offset in committed.items()}
        self.shortened.clear()
        positions = {tp: at or 0 for tp, at in committed.items()}
        self.breaker.begin(positions, notes, idle=self._idle)

    def is_current(self, ledgers: Ledgers) -> bool:
        """Whether an assignment goes on; each wait may have seen its end, or that of the next."""
        return self._room.is_open and ledgers is self.ledgers

    async def checked(self, message: Any, ledger: Ledger) -> Ledger:
        """Return the message's ledger once it is sure that no message before it is missing."""
        # Messages below the committed offset are either old ones again, or a shortened log's.
        if message.offset < ledger.begin:
            ledger = await self._looked_back(message, ledger)
        if self._room.is_open and ledger.is_beyond(message.offset):
            await pass_gap(self._log, message, ledger)
        return ledger

    async def _looked_back(self, message: Any, ledger: Ledger) -> Ledger:
        """Return a new ledger if the log ends before what was done.

        The consumer reads all of the log again then. New messages have the offsets of lost
        ones, so what was done before says nothing about these.
        """
        ledger.begin = 0  # one look is enough
        shortened = await is_shortened(self._log, message, ledger)
        if not shortened or self.ledgers.get(message.tp) is not ledger:
            return ledger
        self.shortened.add(message.tp)
        self.breaker.forget(message.tp)
        self.ledgers[message.tp] = Ledger(message.offset)
        return self.ledgers[message.tp]
