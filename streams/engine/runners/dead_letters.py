"""Turn a message that could not be handled into a dead letter."""

import structlog

from connectors.dead_letters.writing import dead_letter_of, reason_of
from schemas.records.log_ids import trail
from streams.values.outcome import Event, Outcome, Send
from streams.values.topics import DEAD_LETTERS

log = structlog.get_logger()


def dead_letter(stage: str, event: Event, error: Exception) -> Outcome:
    """Send the original bytes, key and headers to the dead letters, and log why."""
    where = {"topic": event.topic, "partition": event.partition, "offset": event.offset}
    log.warning("dead letter", stage=stage, **where, reason=reason_of(error), **trail(event.fact))
    key, value, headers = dead_letter_of(stage, event, error)
    return Outcome(sends=(Send(DEAD_LETTERS.name, key, value, headers=headers),))
