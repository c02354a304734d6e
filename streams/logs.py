"""What is logged, and where to."""

import logging
import sys
from contextlib import suppress
from typing import TextIO, cast

import structlog


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


def configure_logs(level: str, for_a_person: bool) -> None:
    """Log to standard error: our own through structlog, libraries' warnings beside it.

    A command that a person types gets the Kafka client's errors as its own;
    what the client only tries again is of no interest then.
    """
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s [%(levelname)s] %(name)s: %(message)s"
    )
    if for_a_person:
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(),
                # The other formatter prints all local variables, for minutes if they are large.
                exception_formatter=structlog.dev.plain_traceback,
            ),
        ],
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", _Unfailing())),
    )
