"""How logs are written, for people or as JSON; docs/logs.md describes them."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any, TextIO, cast

import structlog
from cachetools import LRUCache
from structlog.typing import EventDict, Processor

CONSOLE, JSON = "console", "json"
ONCE_A_MINUTE = "once_a_minute"
"""The field of a line that may be written once a minute; its value is the cause."""
PAUSE_S = 60.0
_TRACES = {"exception", "exc_info", "stack"}
_QUOTED = set(" \t=\r\n\"'")
MAX_CAUSES = 1000
"""Causes that are remembered; each is logged once a minute."""


class OncePerMinute:
    """Counts lines by cause, so that an outage or an attack cannot fill the disk.

    ``clock`` is monotonic, in seconds.

    >>> limit = OncePerMinute(lambda: 0.0)
    >>> limit.repeats("broker away"), limit.repeats("broker away")
    (0, None)
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Remember no line."""
        self._clock = clock
        self._lock = Lock()  # any thread may log
        self._written: LRUCache[str, tuple[float, int]] = LRUCache(MAX_CAUSES)

    @property
    def remembered(self) -> int:
        """How many causes are remembered."""
        return len(self._written)

    def repeats(self, cause: str) -> int | None:
        """Return how many lines were left out since the last one, None to leave this one out."""
        now = self._clock()
        with self._lock:
            at, left_out = self._written.get(cause, (now - PAUSE_S, 0))
            is_due = now - at >= PAUSE_S
            self._written[cause] = (now, 0) if is_due else (at, left_out + 1)
        return left_out if is_due else None

    def line(self, _logger: object, _level: str, event: EventDict) -> EventDict:
        """Process a line of structlog: leave it out if its cause had one in this minute."""
        if ONCE_A_MINUTE in event:
            repeats = self.repeats(f"{event['event']}\n{event.pop(ONCE_A_MINUTE)}")
            if repeats is None:
                raise structlog.DropEvent
            event.update({"repeats": repeats} if repeats else {})
        return event

    def filter(self, record: logging.LogRecord) -> bool:
        """Decide whether a library's line is written: one a minute of a message and an error."""
        first, _, _ = str(record.msg).partition("\n")
        error = record.exc_info[0] if record.exc_info else None
        repeats = self.repeats(f"{record.name}\n{first}\n{error}")
        if repeats:
            record.msg = f"{record.msg} ({repeats} more like the last one)"
        return repeats is not None


class _Unfailing:
    """Standard error for logs: on a full disk lines are lost, but no process fails."""

    def write(self, text: str) -> None:
        """Write what there is space for."""
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Flush what there is space for."""
        with suppress(OSError):
            sys.stderr.flush()


class PlainRenderer:
    """Writes lines as structlog's ConsoleRenderer does without colours, which takes longer.

    >>> line = {"timestamp": "T", "level": "info", "event": "ready", "url": "u", "reason": "a b"}
    >>> PlainRenderer(structlog.dev.ConsoleRenderer(colors=False))(None, "info", line)
    "T [info     ] ready                          reason='a b' url=u"
    """

    def __init__(self, console: Processor) -> None:
        """``console`` renders lines with tracebacks."""
        self._console = console

    def __call__(self, logger: object, level: str, event: EventDict) -> Any:
        """Return the line of an event with a time and a level."""
        if not _TRACES.isdisjoint(event):
            return self._console(logger, level, event)
        head = f"{event.pop('timestamp')} [{event.pop('level'):<9}] {event.pop('event'):<30}"
        values = [f" {name}={_shown(event[name])}" for name in sorted(event)]
        return (head + "".join(values)).rstrip(" ")


def _shown(value: object) -> str:
    is_plain = isinstance(value, str) and _QUOTED.isdisjoint(value)
    return str(value) if is_plain else repr(value)


def configure_logs(level: str, form: str, for_a_person: bool) -> None:
    """Log to standard error: our own events through structlog, and warnings of libraries.

    Args:
        level: lowest level of our own events.
        form: ``console``, or ``json`` for one object a line, from libraries too.
        for_a_person: silence the Kafka client: its retries are of no interest to a person at
            a terminal; an error that ends the command is shown by the command itself.
    """
    limit = OncePerMinute(monotonic)
    number = logging.getLevelNamesMapping()[level.upper()]
    stream = cast("TextIO", _Unfailing())
    common: list[Processor] = [
        limit.line,
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    rendering = _rendering(form)
    _libraries(form, common, rendering, stream).addFilter(limit)
    if for_a_person:
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[*common, *rendering],
        logger_factory=structlog.WriteLoggerFactory(stream),
        # A line below the level costs 1 µs this way, 2.7 µs otherwise.
        cache_logger_on_first_use=True,
    )


def _rendering(form: str) -> list[Processor]:
    if form == JSON:
        # The other formatter adds all local variables, which may be whole pages.
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    console = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(),
        # The default prints all local variables, which takes minutes if they are large.
        exception_formatter=structlog.dev.plain_traceback,
    )
    return [console if sys.stderr.isatty() else PlainRenderer(console)]


def _libraries(
    form: str, common: list[Processor], rendering: list[Processor], stream: TextIO
) -> logging.Handler:
    handler = logging.StreamHandler(stream)
    if form == JSON:
        meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
        handler.setFormatter(
            structlog.stdlib.ProcessorFormatter(
                foreign_pre_chain=[*common, structlog.stdlib.add_logger_name],
                processors=[meta, *rendering],
            )
        )
    else:
        line = "%(asctime)s [%(levelname)s] %(name)s: %(message)s"
        handler.setFormatter(logging.Formatter(line))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    return handler
