"""Errors of work in a process."""


class ProcessEnded(Exception):
    """A piece of work ended its process; ``status`` is negative for a signal."""

    def __init__(self, status: int) -> None:
        super().__init__(f"a process ended with status {status}")
        self.status = status


class TooHard(Exception):
    """Work on a document had to be ended; the text is a short reason for people."""


class Interrupted(Exception):
    """Work ended for a reason outside of the document; the text is a short reason for people."""
