"""The command ``demo``."""

import os
import sys
from typing import Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import run

app = command_app()


@app.command("demo")
def demo_command(
    once: Annotated[
        bool, typer.Option("--once", help="Exit after one added and one removed notification.")
    ] = False,
    browser: Annotated[
        bool | None,
        typer.Option(
            "--browser/--no-browser",
            help="Open Vokter's page. Default: from a terminal on a desktop.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Watch small local pages that change every few seconds, and show each step."""
    from streams.cli.demo import demo

    is_shown = _is_at_a_desktop() and not once if browser is None else browser
    run(demo.run(once, is_shown))


def _is_at_a_desktop() -> bool:
    """Return whether somebody looks at a terminal on a desktop, without a text browser."""
    if not sys.stdout.isatty() or "SSH_CONNECTION" in os.environ:
        return False
    has_windows = {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
    return sys.platform in {"darwin", "win32"} or bool(has_windows)
