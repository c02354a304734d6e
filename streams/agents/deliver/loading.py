"""Load the outbox of a partition from its tables."""

import asyncio
from collections.abc import AsyncIterator, Callable

import structlog

from schemas.codec import wire
from schemas.records.table_rows import DayCount, FailingClient, Proof, Queued
from schemas.records.topics import NOTIFICATIONS
from streams.agents.deliver.outbox.in_hand import InHand
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.outbox_rows import pending_notification
from streams.agents.deliver.tables import OUTBOX, RECEIVERS
from streams.values.outcome import Owned

log = structlog.get_logger()

ROWS_PER_TURN = 500


async def load_outbox(
    owned: Owned,
    resume: Callable[[Recipient, Outbox], None],
    *,
    in_hand: InHand,
    needs_proof: bool,
) -> Outbox:
    """Load what waits in a partition, and what is known of its recipients.

    ``resume`` is called for the recipient of each notification that waits.
    """
    done, end = (of.get(NOTIFICATIONS.name, 0) for of in (owned.done, owned.ends))
    outbox = Outbox(done - 1, end, in_hand, needs_proof)
    await _load_receivers(owned, outbox)
    async for _, value in _rows(owned, OUTBOX):
        pending = pending_notification(wire.decode(value, Queued))
        outbox.load(pending)
        resume(pending.recipient, outbox)
    if outbox.of_former_log:
        log.warning(
            "the topic of notifications was created again or cut short: what waits for "
            "its next attempt comes before what is on the topic",
            partition=owned.number,
            notifications=outbox.of_former_log,
        )
    return outbox


async def _load_receivers(owned: Owned, outbox: Outbox) -> None:
    proofs = list[tuple[Recipient, Proof]]()
    failing = list[tuple[Recipient, FailingClient]]()
    days = list[tuple[str, DayCount]]()
    async for key, value in _rows(owned, RECEIVERS):
        match wire.decode(value, Proof, FailingClient, DayCount):
            case Proof() as proof:
                proofs.append((Recipient.of_key(key), proof))
            case FailingClient() as record:
                failing.append((Recipient.of_key(key), record))
            case DayCount() as count:
                days.append((key.decode().partition(" ")[2], count))
    outbox.proofs.load(proofs)
    outbox.failures.load(failing)
    outbox.days.load(days)


async def _rows(owned: Owned, table: str) -> AsyncIterator[tuple[bytes, bytes]]:
    for count, row in enumerate(owned.rows(table), 1):
        if count % ROWS_PER_TURN == 0:
            await asyncio.sleep(0)  # heartbeats must go on
        yield row
