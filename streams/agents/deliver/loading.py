"""Load the outbox of a partition from its tables."""

import asyncio
from collections.abc import AsyncIterator, Callable

import structlog

from schemas.codec import wire
from schemas.records.table_rows import DayCount, FailingClient, Proof, Queued
from streams.agents.deliver.active_delivery import pending_notification
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.tables import CLIENTS, DAYS, OUTBOX, PROOFS
from streams.values.outcome import Owned
from streams.values.topics import NOTIFICATIONS

log = structlog.get_logger()

ROWS_PER_TURN = 500


async def load_outbox(
    owned: Owned,
    resume: Callable[[Recipient, Outbox], None],
    *,
    needs_proof: bool,
    are_challenged: bool,
) -> Outbox:
    """Load what waits in a partition, and what is known of its recipients.

    ``resume`` is called for the recipient of each notification that waits. Only where recipients
    ``are_challenged`` is there a table of that.
    """
    done, end = (of.get(NOTIFICATIONS.name, 0) for of in (owned.done, owned.ends))
    outbox = Outbox(done - 1, end, needs_proof)
    if are_challenged:
        proofs = [(key, wire.decode(value, Proof)) async for key, value in _rows(owned, PROOFS)]
        outbox.proofs.load((Recipient.of_key(key), proof) for key, proof in proofs)
    async for _, value in _rows(owned, OUTBOX):
        pending = pending_notification(wire.decode(value, Queued))
        outbox.load(pending)
        resume(pending.recipient, outbox)
    failing = [
        (key, wire.decode(value, FailingClient)) async for key, value in _rows(owned, CLIENTS)
    ]
    outbox.failures.load((Recipient.of_key(key), record) for key, record in failing)
    days = [(key.decode(), wire.decode(value, DayCount)) async for key, value in _rows(owned, DAYS)]
    outbox.days.load(days)
    if outbox.of_former_log:
        log.warning(
            "the topic of notifications was created again or cut short: what waits for "
            "its next attempt comes before what is on the topic",
            partition=owned.number,
            notifications=outbox.of_former_log,
        )
    return outbox


async def _rows(owned: Owned, table: str) -> AsyncIterator[tuple[bytes, bytes]]:
    for count, row in enumerate(owned.rows(table), 1):
        if count % ROWS_PER_TURN == 0:
            await asyncio.sleep(0)  # heartbeats must go on
        yield row
