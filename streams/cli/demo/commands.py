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

    if browser is None:
        # Somebody looks at a terminal on a desktop, without a text browser.
        is_local = sys.stdout.isatty() and "SSH_CONNECTION" not in os.environ
        has_windows = sys.platform in {"darwin", "win32"} or bool(
            {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
        )
        browser = is_local and has_windows and not once
    run(demo.run(once, browser), until_stopped=not once)
