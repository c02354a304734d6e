"""Reasons of the engine not to start, or to end."""

from aiokafka.errors import KafkaError, MessageSizeTooLargeError, RecordTooLargeError

from connectors.stores.errors import StoreRefused


class UnexpectedLibrary(Exception):
    """A library is not the one that the engine patches; the text says what to do."""


class LocalCopyUnusable(StoreRefused):
    """A table's local copy cannot be read or written: its disk is full or fails."""


class TimerFailed(Exception):
    """The timer of an agent could not decide for a partition; no message is to blame for that."""

    def __init__(self, partition: int) -> None:
        """Name the ``partition`` that the timer decided for."""
        super().__init__(f"the timer could not decide for partition {partition}")


def is_of_the_world(error: Exception) -> bool:
    """Whether an error says that store, broker or disk are broken, whatever was handled.

    Example:
        >>> is_of_the_world(OSError(28, "No space left on device")), is_of_the_world(KeyError())
        (True, False)
    """
    # These two are about the message.
    if isinstance(error, MessageSizeTooLargeError | RecordTooLargeError):
        return False
    return isinstance(error, OSError | KafkaError | StoreRefused)
