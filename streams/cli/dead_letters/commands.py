"""The commands of ``vokter dead-letters``."""

import asyncio
from typing import Annotated

import typer

from streams.cli.dead_letters import letters
from streams.cli.local.running import with_broker
from streams.cli.options import DataDir, run, settings_of
from streams.cli.text import say
from streams.clock import now
from streams.topics import DEAD_LETTERS, TOPICS

app = typer.Typer(help="What no stage could handle: see it, and put it back.", no_args_is_help=True)

Since = Annotated[
    str | None,
    typer.Option(help="Only what came since: an age (30m, 2h, 7d), or a time (2026-11-21T06:00)."),
]
Origin = Annotated[
    str | None, typer.Option("--topic", help="Only what came from this topic, without the prefix.")
]
Names = Annotated[
    list[str] | None, typer.Argument(metavar="PARTITION:OFFSET", help="As 'list' names them.")
]
Everything = Annotated[bool, typer.Option("--all", help="All that --since and --topic leave.")]


@app.command("list")
def list_command(
    since: Since = None,
    topic: Origin = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most: the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List dead letters: name, time, where it was, the stage that gave it up, bytes, why."""
    settings = with_broker(settings_of(data_dir=data_dir))
    run(letters.show_all(settings, _begin(since), _known(topic), limit, as_json))


@app.command("show")
def show_command(
    letter: Annotated[str, typer.Argument(metavar="PARTITION:OFFSET", help="As 'list' names it.")],
    data_dir: DataDir = None,
) -> None:
    """Show one dead letter: reason, headers, key and value, as text or as a dump."""
    run(letters.show(with_broker(settings_of(data_dir=data_dir)), letter))


@app.command("replay")
def replay_command(
    names: Names = None,
    everything: Everything = False,
    since: Since = None,
    topic: Origin = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Put messages back where they came from, with their own bytes, key and headers.

    Do it once the cause is mended. The letters stay where they are until their time is
    over, so a second replay puts the same messages back again. What fails again becomes a
    new dead letter, which the same command does not touch.
    """
    if bool(names) == everything:
        raise typer.BadParameter("name the letters, or say --all (with --since, --topic)")
    if names and (since or topic):
        raise typer.BadParameter("--since and --topic go with --all only")
    choice = letters.Choice(tuple(names or ()), _begin(since), _known(topic))
    settings = with_broker(settings_of(data_dir=data_dir))
    counts, ends = asyncio.run(letters.count(settings, choice))
    if not counts:
        say("There is no such dead letter.")
        return
    to = ", ".join(f"{count} to {name}" for name, count in sorted(counts.items()))
    if not yes:
        typer.confirm(f"Put back {counts.total()} ({to})?", abort=True)
    run(letters.replay(settings, choice, ends))


def _begin(since: str | None) -> int:
    try:
        return letters.since(since, now())
    except ValueError:
        raise typer.BadParameter(f"{since!r} is neither an age (30m, 2h, 7d) nor a time") from None


def _known(topic: str | None) -> str | None:
    names = [each.name for each in TOPICS if each is not DEAD_LETTERS]
    if topic is not None and topic not in names:
        raise typer.BadParameter(f"--topic: choose one of: {', '.join(names)}")
    return topic
