"""Where ``vokter`` begins: nothing else is imported before Ctrl-C is handled."""

import sys


def main() -> None:
    """Run the command in ``sys.argv``; leaves the process with its status."""
    try:
        from streams.cli.app import run_command  # noqa: PLC0415 - Ctrl-C may come while it is imported

        run_command()
    except KeyboardInterrupt:
        sys.exit(130)  # 128 + SIGINT, as in a shell
