"""The command ``vokter``, and ``python -m vokter``."""

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line, or say how to install what it needs: the library alone has none."""
    if find_spec("faust") is None:  # of all libraries of the extra the one that nobody else has
        sys.exit(
            "Only Vokter's Python library is installed; its commands need more packages. "
            "Install them with: pip install 'vokter[server]'"
        )
    from streams.cli import main as run_command  # noqa: PLC0415 - the library has no typer

    run_command()


if __name__ == "__main__":
    main()
