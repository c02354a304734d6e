"""What ``vokter dead-letters`` does: shows what no stage could handle, and puts it back."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nlargest
from typing import Any

from aiokafka import TopicPartition
from msgspec import to_builtins

from connectors.kafka.letters import Letter, Letters, NoLetter, open_letters
from connectors.registry.codec import Codec
from schemas.wire import KINDS, Undecodable
from streams.cli.progress import counted
from streams.cli.text import say
from streams.settings import Settings
from streams.topics import DEAD_LETTERS, TOPICS
from streams.wiring.connections import kafka_access, started_codec

SHOWN = 2_048
"""Bytes of a value or key that are shown."""
WIDTH = 100
"""Characters of a reason in a list."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
Ends = Mapping[TopicPartition, int]
_AGE = re.compile(r"(\d{1,9})([smhd])")


def since(text: str | None, now: int) -> int:
    """Read a time, or an age such as ``2h``, as epoch ms; raises ValueError."""
    if text is None:
        return 0
    age = _AGE.fullmatch(text.strip())
    if age is not None:
        return max(0, now - int(age[1]) * UNITS[age[2]] * 1000)
    time = datetime.fromisoformat(text.strip())
    return max(0, int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1000))


async def show_all(
    settings: Settings, begin: int, topic: str | None, limit: int, as_json: bool
) -> None:
    """Print the newest letters, oldest of them first."""
    async with _opened(settings) as letters:
        rows = [_row(each) async for each in Choice((), begin, topic).of(letters)]
    newest = nlargest(limit, rows, key=lambda row: (row["at"], row["letter"]))[::-1]
    for row in newest:
        print(json.dumps(row, ensure_ascii=False) if as_json else _line(row))
    say(f"{len(newest)} of {len(rows)} dead letters.")


async def show(settings: Settings, name: str) -> None:
    """Print one letter whole, but for what is very long; raises NoLetter."""
    async with _opened(settings) as letters:
        letter = await letters.one(*place(name))
    codec = await started_codec(settings)
    await codec.learn(letter.value)
    for title, text in {**_row(letter), **letter.errors}.items():
        print(f"{title}: {_printable(str(text), lines=True)}")
    for header, content in letter.headers:
        print(f"header {_printable(header)}: {_content(codec, content)}")
    print(f"key: {_content(codec, letter.key)}")
    print(f"value: {_content(codec, letter.value)}")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which letters: those of these names, or else all since a time that came from a topic."""

    names: tuple[str, ...]
    since: int
    topic: str | None

    async def of(self, letters: Letters) -> AsyncIterator[Letter]:
        """Give them; raises NoLetter for a name that there is not."""
        for name in self.names:
            yield await letters.one(*place(name))
        if not self.names:
            async for letter in counted(letters.all(self.since), "reading dead letters"):
                if self.topic in {None, _topic(letter)}:
                    yield letter


async def count(settings: Settings, choice: Choice) -> tuple[Counter[str], Ends]:
    """Count letters by the topic that they came from; with where they end now."""
    async with _opened(settings) as letters:
        return Counter([_topic(each) async for each in choice.of(letters)]), letters.ends


async def replay(settings: Settings, choice: Choice, ends: Ends) -> None:
    """Put letters back where they came from, but none that came behind ``ends``.

    Raises NoLetter for those that cannot go back, once all others are.
    """
    left: list[str] = []
    done = 0
    async with _opened(settings, ends) as letters:
        async for letter in choice.of(letters):
            if (reason := await _put_back(letters, letter)) is None:
                done += 1
            else:
                left.append(reason)
    say(f"{done} put back. What fails again is a new dead letter.")
    if left:
        raise NoLetter("not put back: " + "; ".join(left))


async def _put_back(letters: Letters, letter: Letter) -> str | None:
    """Give why it could not be put back."""
    if _topic(letter) not in {topic.name for topic in TOPICS}:
        return f"{letter.place} says that it came from no topic of ours"
    try:
        await letters.replay(letter)
    except NoLetter as error:
        return str(error)
    return None


def place(name: str) -> tuple[int, int]:
    """Read ``PARTITION:OFFSET``; raises NoLetter."""
    found = re.fullmatch(r"(\d{1,9}):(\d{1,18})", name)
    if found is None:
        raise NoLetter(f"{name!r} is no dead letter: one is named PARTITION:OFFSET, as in 3:42")
    return int(found[1]), int(found[2])


def _opened(settings: Settings, ends: Ends | None = None) -> AbstractAsyncContextManager[Letters]:
    return open_letters(kafka_access(settings), settings.topic_prefix, DEAD_LETTERS.name, ends)


def _topic(letter: Letter) -> str:
    return letter.origin[0] if letter.origin else "?"


def _row(letter: Letter) -> dict[str, Any]:
    return {
        "letter": letter.place,
        "at": datetime.fromtimestamp(letter.at / 1000, UTC).isoformat(timespec="milliseconds"),
        "from": "{} {}:{}".format(*letter.origin) if letter.origin else "?",
        "stage": letter.stage,
        "bytes": len(letter.value or b""),
        "reason": letter.reason,
    }


def _line(row: dict[str, Any]) -> str:
    """One line, whatever is in it."""
    reason = _printable(row["reason"])
    shown = reason if len(reason) <= WIDTH else reason[: WIDTH - 3] + "..."
    name, at, origin = row["letter"], row["at"], _printable(row["from"])
    return f"{name:<8} {at}  {origin:<30} {row['stage']:<8} {row['bytes']:>9}  {shown}"


def _content(codec: Codec, data: bytes | None) -> str:
    """Bytes as what they most likely are: a record, text, or else a dump."""
    if data is None:
        return "none"
    try:
        record = codec.decode(data, *KINDS)
    except Undecodable:
        return _text(data)
    return f"{type(record).__name__} {json.dumps(to_builtins(record), ensure_ascii=False)[:SHOWN]}"


def _text(data: bytes) -> str:
    more = f" ... ({len(data)} bytes)" if len(data) > SHOWN else ""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "\n" + "\n".join(_dump(data[:SHOWN])) + more
    return repr(text[:SHOWN]) + more


def _dump(data: bytes) -> Iterator[str]:
    for start in range(0, len(data), 16):
        row = data[start : start + 16]
        text = "".join(chr(each) if 32 <= each < 127 else "." for each in row)
        yield f"  {start:08x}  {row.hex(' '):<47}  {text}"


def _printable(text: str, *, lines: bool = False) -> str:
    """Show control characters instead of letting them act on the terminal."""
    return "".join(
        each if each.isprintable() or (lines and each == "\n") else repr(each)[1:-1]
        for each in text
    )
