"""What could not be handled, kept as it was found, with the reason."""

from schemas.wire import Undecodable
from streams.core.outcome import Event, Outcome, Send
from streams.topics import DEAD_LETTERS

HEADER = "__connect.errors."
"""Header names are those of Kafka Connect's dead letter queues (KIP-298)."""


def dead_letter(stage: str, event: Event, error: Exception) -> Outcome:
    """Send the original bytes, key and headers on, with where and why it failed."""
    reason = str(error) if isinstance(error, Undecodable) else repr(error)
    facts = {
        "topic": event.topic,
        "partition": str(event.partition),
        "offset": str(event.offset),
        "stage": stage,
        "exception.class.name": type(error).__name__,
        "exception.message": reason[:2000],
    }
    added = tuple(
        (HEADER + name, value.encode("utf-8", "replace")) for name, value in facts.items()
    )
    send = Send(DEAD_LETTERS.name, event.key, event.value, headers=event.headers + added)
    return Outcome(sends=(send,))
