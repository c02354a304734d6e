"""The commands of ``vokter dead-letters``."""

from typing import Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, result_of, run, settings_of
from streams.cli.output import say

app = command_app("List messages that no stage could handle, show them, and put them back.")

Since = Annotated[
    str | None,
    typer.Option(help="Only those since an age (30m, 2h, 7d) or a time (2026-11-21T06:00)."),
]
Origin = Annotated[
    str | None, typer.Option("--topic", help="Only those from this topic, without the prefix.")
]
Ids = Annotated[
    list[str] | None, typer.Argument(metavar="PARTITION:OFFSET", help="Ids, as 'list' shows them.")
]
Everything = Annotated[bool, typer.Option("--all", help="All that --since and --topic select.")]


@app.command("list")
def list_command(
    since: Since = None,
    topic: Origin = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most: the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List dead letters: id, time, origin, the stage that gave it up, bytes, reason."""
    from streams.cli.dead_letters import work
    from streams.cli.dead_letters.selection import Selection

    settings = with_broker(settings_of(data_dir=data_dir))
    selection = Selection((), _since(since), _topic(topic))
    run(work.list_letters(settings, selection, limit, as_json))


@app.command("show")
def show_command(
    letter: Annotated[str, typer.Argument(metavar="PARTITION:OFFSET", help="As 'list' shows it.")],
    data_dir: DataDir = None,
) -> None:
    """Show one dead letter: reason, headers, key and value, as text or as a dump."""
    from streams.cli.dead_letters import work

    run(work.show_letter(with_broker(settings_of(data_dir=data_dir)), letter))


@app.command("replay")
def replay_command(
    ids: Ids = None,
    everything: Everything = False,
    since: Since = None,
    topic: Origin = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Put messages back where they came from, with their own bytes, key and headers.

    Shows the messages and asks first. Do so once the cause is fixed. The dead letters stay
    on their topic until their retention ends, so a second replay puts the same messages back
    again. What fails again becomes a new dead letter, which the same command does not touch.
    """
    from streams.cli.dead_letters import work
    from streams.cli.dead_letters.selection import Selection

    if bool(ids) == everything:
        raise typer.BadParameter(
            "give ids (PARTITION:OFFSET), or --all, with --since and --topic if you like"
        )
    if ids and (since or topic):
        raise typer.BadParameter("--since and --topic need --all")
    selection = Selection(tuple(ids or ()), _since(since), _topic(topic))
    settings = with_broker(settings_of(data_dir=data_dir))
    counts, ends = result_of(work.preview(settings, selection))
    if not counts:
        say("There is no such dead letter.")
        return
    to = ", ".join(f"{count} to {name}" for name, count in sorted(counts.items()))
    if not yes:
        typer.confirm(f"Put back {counts.total()} ({to})?", abort=True)
    run(work.replay(settings, selection, ends))


def _since(text: str | None) -> int:
    from streams.cli.dead_letters.selection import parse_since
    from streams.effects.clock import now

    try:
        return parse_since(text, now())
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither an age (30m, 2h, 7d) nor a time") from None


def _topic(name: str | None) -> str | None:
    from schemas.records.topics import DEAD_LETTERS, TOPICS

    names = [each.name for each in TOPICS if each is not DEAD_LETTERS]
    if name is not None and name not in names:
        raise typer.BadParameter(f"--topic: choose one of: {', '.join(names)}")
    return name
