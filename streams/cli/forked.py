"""The way of a forked process out of the command in which it was forked."""

from collections.abc import Sequence


class RunAs(BaseException):
    """Leaves the command that runs, as in a process that it forked, to run another one."""

    def __init__(self, arguments: Sequence[str]) -> None:
        """``arguments`` are those of ``vokter``."""
        super().__init__()
        self.arguments = arguments
