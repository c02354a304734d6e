"""What the commands print."""

import logging
import sys
from collections.abc import Callable

import structlog

Say = Callable[[str], None]


def say(line: str) -> None:
    """Print a progress line, seen at once also through a pipe."""
    print(line, file=sys.stderr, flush=True)


def configure_logs(level: str) -> None:
    """Log to standard error: our own through structlog, libraries' warnings beside it."""
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(
        level=logging.WARNING, format="%(asctime)s [%(levelname)s] %(name)s: %(message)s"
    )
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(number),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
