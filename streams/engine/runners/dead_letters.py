"""What could not be handled, kept as it was found, with the reason."""

import structlog

from connectors.kafka.burial import letter, reason_of
from schemas.trail import trail
from streams.core.outcome import Event, Outcome, Send
from streams.topics import DEAD_LETTERS

log = structlog.get_logger()


def dead_letter(stage: str, event: Event, error: Exception) -> Outcome:
    """Send the original bytes, key and headers on, with where and why it failed."""
    where = {"topic": event.topic, "partition": event.partition, "offset": event.offset}
    log.warning("dead letter", stage=stage, **where, reason=reason_of(error), **trail(event.fact))
    key, value, headers = letter(stage, event, error)
    return Outcome(sends=(Send(DEAD_LETTERS.name, key, value, headers=headers),))
