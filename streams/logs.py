"""How logs are written, for people or as JSON; docs/logs.md describes them."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog
from structlog.typing import Processor

CONSOLE, JSON = "console", "json"


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


def configure_logs(level: str, form: str, for_a_person: bool) -> None:
    """Log to standard error: our own events through structlog, and warnings of libraries.

    Args:
        level: lowest level of our own events.
        form: ``console``, or ``json`` for one object a line, from libraries too.
        for_a_person: silence the Kafka client, whose retries are of no interest to a person at
            a terminal; an error that ends the command is shown by the command itself.
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
        # A line below the level costs 1 µs this way, 2.7 µs otherwise.
        cache_logger_on_first_use=True,
    )


def _rendering(form: str) -> list[Processor]:
    if form == JSON:
        # The other formatter adds all local variables, which may be whole pages.
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(),
            # The default prints all local variables, which takes minutes if they are large.
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
