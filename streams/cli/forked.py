"""The way of a forked process out of its parent's command."""

from collections.abc import Sequence


class RunAs(BaseException):
    """Leaves the running command, as in a forked process, to run another."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """``arguments`` are those of ``vokter``."""
        super().__init__()
        self.arguments = arguments
