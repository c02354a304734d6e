"""What the commands of ``vokter dead-letters`` do."""

from collections import Counter
from contextlib import AbstractAsyncContextManager
from heapq import nlargest

from connectors.dead_letters.reading import DeadLetterReader, Ends, open_dead_letters
from connectors.dead_letters.record import DeadLetterError
from connectors.dead_letters.replay import open_replayer, replay_all
from schemas.records.topics import DEAD_LETTERS, TOPICS
from streams.cli.dead_letters import display
from streams.cli.dead_letters.selection import Selection
from streams.cli.output import json_line, say
from streams.effects.connections import kafka_access, started_codec
from streams.settings import Settings

PREVIEWED = 10
"""Messages that are shown before ``replay`` asks."""


async def list_letters(settings: Settings, selection: Selection, limit: int, as_json: bool) -> None:
    """Print the newest dead letters, oldest of them first."""
    async with _reader(settings) as reader:
        rows = [display.summary(letter) async for letter in selection.read(reader)]
    newest = nlargest(limit, rows, key=lambda row: (row["at"], row["letter"]))[::-1]
    for row in newest:
        print(json_line(row) if as_json else display.line(row))
    say(f"{len(newest)} of {len(rows)} dead letters.")


async def show_letter(settings: Settings, letter_id: str) -> None:
    """Print one dead letter; raises DeadLetterError."""
    async with _reader(settings) as reader:
        letter = await reader.one(letter_id)
    codec = await started_codec(settings)
    await codec.learn(letter.value)
    for text in display.lines(letter, codec):
        print(text)


async def preview(settings: Settings, selection: Selection) -> tuple[Counter[str], Ends]:
    """Show the first dead letters, and count all by the topic that they came from.

    Also returns their ends now.
    """
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


async def replay(settings: Settings, selection: Selection, ends: Ends) -> None:
    """Put back what is before ``ends``: what fails again comes after them."""
    topics = {topic.name for topic in TOPICS}
    async with (
        _reader(settings, ends) as reader,
        open_replayer(kafka_access(settings), settings.topic_prefix, topics) as replayer,
    ):
        done, refused = await replay_all(replayer, selection.read(reader))
    say(f"{done} put back. What fails again is a new dead letter.")
    if refused:
        raise DeadLetterError("not put back: " + "; ".join(refused))


def _reader(
    settings: Settings, ends: Ends | None = None
) -> AbstractAsyncContextManager[DeadLetterReader]:
    topic = settings.topic_prefix + DEAD_LETTERS.name
    return open_dead_letters(kafka_access(settings), topic, ends)
