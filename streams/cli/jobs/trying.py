"""``vokter try``: what a view sees of a page, without a deployment."""

import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from connectors.api.tried import seen_json
from schemas.codec.json_values import nested_json
from schemas.records.changes import Diff
from schemas.records.faults import Refusal
from schemas.records.numbers import NumberReading
from schemas.records.previews import IgnoredText, SeenPage, SelectorResult, first_lines
from schemas.records.requests import Subscribe
from streams.agents.history.asked_subscription import subscription_of
from streams.agents.history.try_page import Trials
from streams.cli.jobs.refusals import refused
from streams.cli.output import print_json, printable
from streams.cli.progress import waiting
from streams.cli.setup.existing_store import check_store_exists
from streams.effects.connections import opened_store
from streams.effects.rules import rules
from streams.effects.trial import opened_trials
from streams.settings import Settings
from streams.text.keywords import ANY_CHANGE

LABEL = 10
"""Characters of the column that says what a line shows."""


class NotReadable(Exception):
    """The page that was tried cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of the text is printed, None for all of it, and whether as JSON."""

    lines: int | None
    is_json: bool = False


async def try_page(settings: Settings, asked: Subscribe, shown: Shown) -> None:
    """Fetch a page once and print what is seen of it.

    Raises Refused if it may not be asked for, and NotReadable if it cannot be read.
    """
    found = subscription_of(rules(settings), asked)
    if isinstance(found, Refusal):
        raise refused(asked, found, action="try")
    async with waiting("fetching"), _opened(settings, asked) as trials:
        seen = await trials.look(found)
    lines = sys.maxsize if shown.lines is None else shown.lines
    if shown.is_json:
        print_json(seen_json(seen, lines, sys.maxsize))
    else:
        console = Console(highlight=False)
        is_coloured = console.color_system is not None
        for line in seen_lines(seen, lines, asked.keywords, is_coloured=is_coloured):
            console.print(line, soft_wrap=True)
    if seen.reason:
        raise NotReadable(f"Cannot read {seen.url}: {seen.reason}.")


@asynccontextmanager
async def _opened(settings: Settings, asked: Subscribe) -> AsyncIterator[Trials]:
    """Open what tries a page; only one behind a login needs the deployment's store."""
    async with AsyncExitStack() as stack:
        credentials = None
        if asked.options.view.credentials:
            check_store_exists(settings)
            credentials = (await stack.enter_async_context(opened_store(settings))).credentials
        yield await stack.enter_async_context(opened_trials(settings, credentials))


def seen_lines(
    seen: SeenPage, lines: int, keywords: Sequence[str] = (), *, is_coloured: bool = False
) -> Iterator[Text]:
    """Yield what is printed of a tried page; without colours, keywords are in brackets.

    Of the ``keywords`` that were looked for, those that no sentence matches are named.
    """
    yield from _head(seen)
    for each in seen.selectors:
        yield _labelled("selector", _selector_line(each))
        if each.doubt:
            yield _labelled("", f"warning: {each.doubt}")
    for pattern in seen.ignored:
        yield _labelled("ignore", _ignored_line(pattern))
    yield from _number_lines(seen.number)
    for match in seen.matches:
        yield _labelled("keyword", f"{match.keyword}: ") + _sentence(match, is_coloured=is_coloured)
    if seen.more:
        yield _labelled("", "… and more sentences with keywords")
    elif seen.read_as:
        for keyword in _unmatched(seen, keywords):
            yield _labelled("keyword", f"{keyword}: nothing")
    yield from _text_lines(seen, lines)


def _head(seen: SeenPage) -> Iterator[Text]:
    yield _labelled("url", seen.url)
    if seen.status:
        sizes = f"{seen.bytes:,} bytes in {seen.fetch_ms} ms"
        yield _labelled("status", f"{seen.status}, {seen.content_type or 'no type'}, {sizes}")
    if seen.read_as:
        how = f"{seen.read_as}, language {seen.language}, in {seen.read_ms} ms of CPU"
        yield _labelled("read as", how)
    if seen.title:
        yield _labelled("title", seen.title)


def _number_lines(number: NumberReading | None) -> Iterator[Text]:
    if number is not None:
        yield _labelled("number", f"{number.written} → {number}")
        yield from (_labelled("", f"doubt: {each}") for each in number.doubts)


def _unmatched(seen: SeenPage, keywords: Sequence[str]) -> Iterator[str]:
    matched = {match.keyword for match in seen.matches}
    return (keyword for keyword in keywords if keyword not in matched | {ANY_CHANGE})


def _labelled(label: str, text: str) -> Text:
    return Text(f"{label:>{LABEL}}  ", style="dim") + Text(printable(text), style="not dim")


def _selector_line(found: SelectorResult) -> str:
    (selector,) = nested_json(found.selector).values()
    shown = selector["exact"] if isinstance(selector, dict) else selector
    what = f"{found.position} {shown}"
    if found.reason or not found.lines:
        return f"{what}: {found.reason or 'nothing'}"
    alike = "" if found.confidence in {None, 1.0} else f"{found.confidence:.0%} the same, "
    lines = f"{found.lines} {'line' if found.lines == 1 else 'lines'}"
    return f"{what}: {alike}{lines}, {found.first!r}"


def _ignored_line(ignored: IgnoredText) -> str:
    what = f"{ignored.position} {ignored.pattern}"
    if not ignored.matches:
        return f"{what}: nothing"
    times = "once" if ignored.matches == 1 else f"{ignored.matches:,} times"
    return f"{what}: {times}, {ignored.first!r}"


def _sentence(match: Diff, *, is_coloured: bool) -> Text:
    """Return what matches a keyword with its words marked."""
    before, after = ("", "") if is_coloured else ("[", "]")
    line, at = Text(style="not dim"), 0
    for span in match.marks.text.keyword:
        line.append(printable(match.text[at : span.start]))
        word = printable(match.text[span.start : span.end])
        line.append(f"{before}{word}{after}", style="bold green")
        at = span.end
    line.append(printable(match.text[at:]))
    return line


def _text_lines(seen: SeenPage, lines: int) -> Iterator[Text]:
    shown, count = first_lines(seen, lines, sys.maxsize)
    if count and lines:
        yield Text()
        yield Text(printable(shown.text, lines=True))
    if count > lines:
        yield Text(f"… {count - lines} more lines; --all prints them.", style="dim")
