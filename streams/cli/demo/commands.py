"""The command ``demo``."""

from typing import Annotated

import typer

from streams.cli.options import run

app = typer.Typer()


@app.command("demo")
def demo_command(
    once: Annotated[
        bool, typer.Option("--once", help="Exit after one added and one removed notification.")
    ] = False,
) -> None:
    """Watch a small local page that changes every few seconds, and show each step."""
    from streams.cli.demo import demo

    run(demo.run(once))
