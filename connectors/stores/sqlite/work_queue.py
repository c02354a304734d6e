"""The queue of work for a thread of the store."""

from queue import SimpleQueue
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class WorkQueue(Generic[T]):
    """Work for one thread, which ends once it has got what was put before ``close``."""

    def __init__(self) -> None:
        """Begin empty."""
        self._waiting: SimpleQueue[T | None] = SimpleQueue()
        self._closing = Lock()
        self.is_closed = False

    def put(self, work: T) -> None:
        """Let work wait; raises RuntimeError after close(), when no thread is left to do it."""
        with self._closing:
            if self.is_closed:
                raise RuntimeError("the file is closed")
            self._waiting.put(work)

    def close(self) -> None:
        """Let the thread end after what waits."""
        with self._closing:
            self.is_closed = True
            self._waiting.put(None)

    def get(self) -> T | None:
        """Wait for work; None if there will be no more."""
        return self._waiting.get()

    def get_nowait(self) -> T | None:
        """Return work, None if there will be no more; raises queue.Empty if none waits now."""
        return self._waiting.get_nowait()
