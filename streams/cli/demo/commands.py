"""The command ``demo``."""

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
    from streams.cli.demo.browser import is_at_a_desktop

    is_shown = is_at_a_desktop() and not once if browser is None else browser
    run(demo.run(once, is_shown))
