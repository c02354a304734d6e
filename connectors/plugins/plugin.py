"""One plug-in: a module with a tuple of names, and a function that serves them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from traceback import extract_tb

import structlog

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Kind:
    """What a plug-in module must have: a tuple of names, and a function that serves them."""

    name: str
    served: str
    function: str


READERS = Kind("readers", "CONTENT_TYPES", "read")
STEMMERS = Kind("stemmers", "LANGUAGES", "stem")


@dataclass(eq=False, slots=True)
class Plugin:
    """One version of a plug-in; ``origin`` is what a person calls it.

    ``version`` is one that no other has had in this process.
    """

    origin: str
    names: frozenset[str]
    function: Callable[..., object]
    version: str
    _reported: bool = field(default=False, init=False)

    def __call__(self, *arguments: object) -> str:
        """Have it work; may raise anything."""
        text = self.function(*arguments)
        if not isinstance(text, str):
            raise TypeError(f"a plug-in must give a str, not {type(text).__name__}")
        return text

    def report(self, error: Exception) -> None:
        """Log that it failed at its work: once, as it may do so for each word."""
        if not self._reported:
            self._reported = True
            log.error("a plug-in failed", plugin=self.origin, **cause(error))


def cause(error: BaseException) -> dict[str, str]:
    """What its author needs to know, in one line."""
    *_, where = extract_tb(error.__traceback__)
    return {"reason": repr(error), "at": f"{where.filename}:{where.lineno}"}
