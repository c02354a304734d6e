"""``vokter dead-letters …``: list, show and replay failed messages."""

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import heappush, heappushpop
from operator import itemgetter
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streams.cli.discovery import with_broker
from streams.cli.durations import UNITS
from streams.cli.groups import command_app
from streams.cli.options import AsJson, DataDir, Yes, result_of, run, settings_of
from streams.cli.output import json_line, say
from streams.effects.clock import now

if TYPE_CHECKING:
    from connectors.dead_letters.reading import DeadLetterReader, Ends
    from connectors.dead_letters.record import DeadLetter
    from streams.settings import Settings

app = command_app("List messages that no agent could handle, show them, and put them back.")

PREVIEWED = 10
"""Messages shown before the question of ``replay``."""
SAY_EVERY_S = 5.0
_AGE = re.compile(r"(\d{1,9})([smhd])")

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
    limit: Annotated[int, typer.Option(min=1, help="At most so many, the newest.")] = 50,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List dead letters: id, time, origin, the agent that gave it up, bytes, reason."""
    settings = with_broker(settings_of(data_dir=data_dir))
    selection = Selection((), _since(since), _topic(topic))
    from streams.cli.dead_letters import display

    async def print_newest() -> None:
        newest: list[tuple[str, str, dict[str, Any]]] = []
        count = 0
        async with _reader(settings) as reader:
            async for letter in selection.read(reader):
                row = display.summary(letter)
                push = heappush if count < limit else heappushpop
                push(newest, (row["at"], row["letter"], row))
                count += 1
        for *_, row in sorted(newest, key=itemgetter(0, 1)):  # the oldest of them first
            print(json_line(row) if as_json else display.line(row))
        say(f"{len(newest)} of {count} dead letters.")

    run(print_newest())


@app.command("show")
def show_command(
    letter: Annotated[str, typer.Argument(metavar="PARTITION:OFFSET", help="As 'list' shows it.")],
    data_dir: DataDir = None,
) -> None:
    """Show one dead letter: reason, headers, key and value, as text or as a dump."""
    from streams.cli.dead_letters import display
    from streams.effects.connections import started_codec

    settings = with_broker(settings_of(data_dir=data_dir))

    async def print_letter() -> None:
        async with _reader(settings) as reader:
            found = await reader.one(letter)
        codec = await started_codec(settings)
        await codec.learn(found.value)
        for text in display.lines(found, codec):
            print(text)

    run(print_letter())


@app.command("replay")
def replay_command(
    ids: Ids = None,
    everything: Everything = False,
    since: Since = None,
    topic: Origin = None,
    yes: Yes = False,
    data_dir: DataDir = None,
) -> None:
    """Put messages back where they came from, with their own bytes, key and headers.

    Shows the messages and asks first. Do so once the cause is fixed. The dead letters stay
    on their topic until their retention ends, so a second replay puts the same messages back
    again. What fails again becomes a new dead letter, which the same command does not touch.
    """
    if bool(ids) == everything:
        raise typer.BadParameter(
            "give ids (PARTITION:OFFSET), or --all, with --since and --topic if you like"
        )
    if ids and (since or topic):
        raise typer.BadParameter("--since and --topic need --all")
    selection = Selection(tuple(ids or ()), _since(since), _topic(topic))
    settings = with_broker(settings_of(data_dir=data_dir))
    counts, ends = result_of(_preview(settings, selection))
    if not counts:
        say("There is no such dead letter.")
        return
    to = ", ".join(f"{count} to {name}" for name, count in sorted(counts.items()))
    if not yes:
        typer.confirm(f"Put back {counts.total()} ({to})?", abort=True)
    run(_replay(settings, selection, ends, counts.total()))


def _since(text: str | None) -> int:
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


def parse_since(text: str | None, now: int) -> int:
    """Parse a time, or an age before ``now`` (epoch ms), to epoch ms; raises ValueError.

    Example:
        >>> parse_since("2h", now=10_000_000)
        2800000
    """
    if text is None:
        return 0
    age = _AGE.fullmatch(text.strip())
    if age is not None:
        return max(0, now - int(age[1]) * UNITS[age[2]] * 1000)
    time = datetime.fromisoformat(text.strip())
    return max(0, int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000))


@dataclass(frozen=True, slots=True)
class Selection:
    """Dead letters with these ``ids``, or else all since a time (epoch ms) from a topic."""

    ids: tuple[str, ...]
    since: int
    topic: str | None

    async def read(self, reader: "DeadLetterReader") -> AsyncIterator["DeadLetter"]:
        """Read these dead letters, with a progress bar.

        Raises DeadLetterError for an unknown id.
        """
        from streams.cli.progress import counted

        for letter_id in self.ids:
            yield await reader.one(letter_id)
        if not self.ids:
            async for letter in counted(reader.all(self.since), "reading dead letters"):
                if self.topic in {None, letter.origin_topic}:
                    yield letter


async def _preview(settings: "Settings", selection: Selection) -> tuple[Counter[str], "Ends"]:
    """Show the first dead letters, and count all by their topics.

    Also returns their ends now.
    """
    from streams.cli.dead_letters import display
    from streams.effects.connections import started_codec

    counts: Counter[str] = Counter()
    codec = await started_codec(settings)
    async with _reader(settings) as reader:
        async for letter in selection.read(reader):
            if counts.total() < PREVIEWED:
                await codec.learn(letter.value)
                for text in display.content_lines(letter, codec):
                    say(text)
            counts[letter.origin_topic] += 1
        if counts.total() > PREVIEWED:
            say(f"... and {counts.total() - PREVIEWED} more; 'show' shows each.")
        return counts, reader.ends


async def _replay(settings: "Settings", selection: Selection, ends: "Ends", count: int) -> None:
    """Put back the letters before ``ends``, ``count`` letters: new failures come after them."""
    from connectors.dead_letters.record import DeadLetterError
    from connectors.dead_letters.replay import Replayed, open_replayer, replay_all
    from schemas.records.topics import TOPICS
    from streams.effects.connections import kafka_access

    topics = {topic.name for topic in TOPICS}
    async with (
        _reader(settings, ends) as reader,
        open_replayer(kafka_access(settings), settings.topic_prefix, topics) as replayer,
    ):
        replayed, said = Replayed(), monotonic()
        try:
            async for replayed in replay_all(replayer, selection.read(reader)):
                if monotonic() - said >= SAY_EVERY_S:
                    say(f"{replayed.done} of {count} put back so far.")
                    said = monotonic()
        finally:
            say(f"{replayed.done} put back. What fails again is a new dead letter.")
    if replayed.refused:
        raise DeadLetterError(f"not put back: {replayed.summary()}")


def _reader(
    settings: "Settings", ends: "Ends | None" = None
) -> AbstractAsyncContextManager["DeadLetterReader"]:
    from connectors.dead_letters.reading import open_dead_letters
    from schemas.records.topics import DEAD_LETTERS
    from streams.effects.connections import kafka_access

    topic = settings.topic_prefix + DEAD_LETTERS.name
    return open_dead_letters(kafka_access(settings), topic, ends)
