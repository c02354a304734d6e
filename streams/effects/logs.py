"""The form of logs, for people or as JSON; docs/logs.md describes them."""

import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Lock
from time import monotonic
from typing import Any, TextIO, cast

import structlog
from cachetools import LRUCache
from structlog.typing import EventDict, Processor

CONSOLE, JSON = "console", "json"
ONCE_A_MINUTE = "once_a_minute"
"""The field of a line limited to once a minute; its value is the cause."""
PAUSE_S = 60.0
_TRACES = {"exception", "exc_info", "stack"}
_QUOTED = set(" \t=\r\n\"'")
_LIMITED = {"warning", "error", "exception", "critical"}
MOST = 20
"""Causes of an event with a separate line per minute."""
_OTHERS = -1
"""The key of all other causes; no text has this hash."""
_NEVER = (-inf, 0)
_Causes = dict[int, tuple[float, int]]
"""When the last line of a cause was written, and how many were left out since."""
MAX_EVENTS = 500
"""The most events, and loggers of libraries, remembered."""


class OncePerMinute:
    """Counts lines by event and cause, so an outage or an attack cannot fill the disk.

    MOST causes of an event have a line in a minute; all others have a line together. ``clock`` is
    monotonic, in seconds.

    >>> limit = OncePerMinute(lambda: 0.0)
    >>> limit.repeats("broker away", "refused"), limit.repeats("broker away", "refused")
    (0, None)
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()  # any thread may log
        self._events: LRUCache[str, _Causes] = LRUCache(MAX_EVENTS)

    def repeats(self, event: str, cause: str) -> int | None:
        """Return the number of lines left out since the last, None to leave out this line."""
        now = self._clock()
        with self._lock:
            causes = self._events.setdefault(event, {_OTHERS: _NEVER})
            key = hash(cause)  # a line may be long
            if key not in causes and len(causes) > MOST:
                # Those without a line for a minute count with the others from now on.
                ended = [each for each, (at, _) in causes.items() if now - at >= PAUSE_S]
                left_out = sum(causes.pop(each)[1] for each in ended if each != _OTHERS)
                at, others = causes[_OTHERS]
                causes[_OTHERS] = at, others + left_out
                key = key if len(causes) <= MOST else _OTHERS
            at, left_out = causes.get(key, _NEVER)
            is_due = now - at >= PAUSE_S
            causes[key] = (now, 0) if is_due else (at, left_out + 1)
        return left_out if is_due else None

    def line(self, _logger: object, level: str, event: EventDict) -> EventDict:
        """Process a line of structlog: leave out the line if its cause had a line in this minute.

        Without a cause, the values of warnings and errors are the cause, and others have none.
        """
        cause = event.pop(ONCE_A_MINUTE, None)
        if cause is None and level in _LIMITED:
            cause = f"{event!r} {sys.exc_info()[0]}"
        if cause is not None:
            repeats = self.repeats(str(event["event"]), cause)
            if repeats is None:
                raise structlog.DropEvent
            event.update({"repeats": repeats} if repeats else {})
        return event

    def filter(self, record: logging.LogRecord) -> bool:
        """Decide about a library's line: a single line per minute of a message and an error."""
        first, _, _ = str(record.msg).partition("\n")
        error = record.exc_info[0] if record.exc_info else None
        repeats = self.repeats(record.name, f"{first}\n{error}")
        if repeats:
            record.msg = f"{record.msg} ({repeats} more like the last one)"
        return repeats is not None


class _Unfailing:
    """Standard error for logs: on a full disk lines are lost, but no process fails."""

    def write(self, text: str) -> None:
        """Write the part with space."""
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Flush the part with space."""
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
        processors=[limit.line, *common, *rendering],
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
