"""What is logged, in which form, and where to; docs/logs.md tells of it."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog
from structlog.typing import Processor

CONSOLE, JSON = "console", "json"


class _Unfailing:
    """Standard error for a log: what a full disk has no room for is lost, and nothing else."""

    def write(self, text: str) -> None:
        """Write what can be written."""
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Write what is buffered."""
        with suppress(OSError):
            sys.stderr.flush()


def configure_logs(level: str, form: str, for_a_person: bool) -> None:
    """Log to standard error: our own through structlog, libraries' warnings beside it.

    ``form`` is ``console`` or ``json``: one object a line, whoever logs it. A command
    that a person types gets the Kafka client's errors as its own; what the client only
    tries again is of no interest then.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    stream = cast("TextIO", _Unfailing())
    common: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    rendering = _rendering(form)
    _libraries(form, common, rendering, stream)
    if for_a_person:
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[*common, *rendering],
        logger_factory=structlog.WriteLoggerFactory(stream),
        # A line that is too small to be written costs 1 µs this way, and 2.7 otherwise.
        cache_logger_on_first_use=True,
    )


def _rendering(form: str) -> list[Processor]:
    if form == JSON:
        # The other form of a traceback has all local variables, which may be whole pages.
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            # The other formatter prints all local variables, for minutes if they are large.
            exception_formatter=structlog.dev.plain_traceback,
        )
    ]


def _libraries(
    form: str, common: list[Processor], rendering: list[Processor], stream: TextIO
) -> None:
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
