"""A plug-in: a module with a tuple of names, and a function for them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from traceback import extract_tb

import structlog

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PluginKind:
    """Contents of a plug-in module: a tuple of names, and a function for them."""

    name: str
    served: str
    function: str


READERS = PluginKind("readers", "CONTENT_TYPES", "read")
STEMMERS = PluginKind("stemmers", "LANGUAGES", "stem")


@dataclass(eq=False, slots=True)
class Plugin:
    """A version of a plug-in; ``origin`` is its file or entry point.

    ``version`` is unique in this process, ``id`` is the same wherever the same file is loaded.
    """

    origin: str
    names: frozenset[str]
    function: Callable[..., object]
    version: str
    id: str = ""
    _is_reported: bool = field(default=False, init=False)

    def __call__(self, *arguments: object) -> str:
        """Call the plug-in's function; raises its errors."""
        text = self.function(*arguments)
        if not isinstance(text, str):
            raise TypeError(f"a plug-in must return a str, not {type(text).__name__}")
        return text

    def report(self, error: Exception) -> None:
        """Log a failure of the plug-in: only once, because every word may fail."""
        if not self._is_reported:
            self._is_reported = True
            log.error("a plug-in failed", plugin=self.origin, **cause(error))


def cause(error: BaseException) -> dict[str, str]:
    """Return the facts for the plug-in's author, as fields of a log line."""
    *_, where = extract_tb(error.__traceback__)
    return {"reason": repr(error), "at": f"{where.filename}:{where.lineno}"}
