"""The entry of ``vokter``: nothing else is imported before Ctrl-C is handled."""

import os
import sys

from streams.cli.forked import RunAs


def main() -> None:
    """Run the command in ``sys.argv``; leaves the process with its status."""
    # A Python that a command starts imports nothing from the folder in which a user works.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        from streams.cli.app import run_command  # noqa: PLC0415 - Ctrl-C may come while it is imported

        try:
            run_command()
        except RunAs as another:
            sys.argv[1:] = another.arguments
        else:
            return
        run_command()
    except KeyboardInterrupt:
        sys.exit(130)  # 128 + SIGINT, as in a shell
