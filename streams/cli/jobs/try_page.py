"""``vokter try``: a page as read by a view, without a deployment."""

import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.records.changes import Diff
from schemas.records.previews import SeenPage, SelectorResult, first_lines
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.cli.discovery import with_running
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Url
from streams.cli.jobs.flags import with_option_flags
from streams.cli.jobs.refusals import asked_subscription
from streams.cli.options import AsJson, DataDir, run, settings_of
from streams.cli.output import print_json, printable

if TYPE_CHECKING:
    from rich.text import Text

    from streams.agents.history.try_page import Trials
    from streams.settings import Settings

app = command_app()

LABEL = 10
"""Characters of the column with labels."""


class NotReadable(Exception):
    """The page on trial cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class ShownText:
    """The number of lines of the text to print, None for all, and the form."""

    lines: int | None
    is_json: bool = False


@app.command("try")
@with_option_flags(
    "content_type",
    "on_status",
    "view",
    "scope",
    "enable_stemming",
    "filter_stopwords",
    "ignore_case",
)
def try_page_command(
    url: Url,
    words: Annotated[
        list[str] | None, typer.Argument(help="Keywords to look for in the text.")
    ] = None,
    *,
    options: Options,
    lines: Annotated[int, typer.Option(help="Lines of the text to print.", min=0)] = 20,
    all_: Annotated[bool, typer.Option("--all", help="Print all of the text.")] = False,
    json_: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Fetch a page once, and show what Vokter sees of it.

    Needs no running deployment, and leaves nothing in one; one that runs in the data folder says
    which addresses are allowed, and by which proxy. Shows what each selector of a view
    finds, and the sentences with the words.
    """
    asked = Subscribe(
        url, Receiver(session="try"), keywords=tuple(words or ("*",)), options=options
    )
    shown = ShownText(None if all_ else lines, is_json=json_)
    run(try_page(with_running(settings_of(data_dir=data_dir)), asked, shown))


async def try_page(settings: "Settings", asked: Subscribe, shown: ShownText) -> None:
    """Fetch a page once and print the reading.

    Raises Refused for a forbidden request, and NotReadable for an unreadable page.
    """
    from rich.console import Console

    from connectors.api.tried import seen_json
    from streams.cli.progress import waiting

    subscription = asked_subscription(settings, asked, "try")
    async with waiting("fetching"), _opened_trials(settings, asked) as trials:
        seen = await trials.look(subscription)
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
async def _opened_trials(settings: "Settings", asked: Subscribe) -> AsyncIterator["Trials"]:
    """Open the trials of pages; only a page behind a login needs the deployment's store."""
    from streams.cli.setup.existing_store import existing_store
    from streams.effects.trial import opened_trials

    async with AsyncExitStack() as stack:
        credentials = None
        if asked.options.view.credentials:
            credentials = (await stack.enter_async_context(existing_store(settings))).credentials
        yield await stack.enter_async_context(opened_trials(settings, credentials))


def seen_lines(
    seen: SeenPage, lines: int, keywords: Sequence[str] = (), *, is_coloured: bool = False
) -> Iterator["Text"]:
    """Yield the lines about a page on trial; without colours, keywords are in brackets.

    Of the given ``keywords``, those without a match are named.
    """
    from streams.text.keywords import ANY_CHANGE

    for label, text in _facts(seen):
        yield _labelled(label, text)
    for match in seen.matches:
        yield _labelled("keyword", f"{match.keyword}: ") + _sentence(match, is_coloured=is_coloured)
    if seen.more:
        yield _labelled("", "… and more sentences with keywords")
    elif seen.read_as:
        matched = {match.keyword for match in seen.matches} | {ANY_CHANGE}
        for keyword in keywords:
            if keyword not in matched:
                yield _labelled("keyword", f"{keyword}: nothing")
    yield from _text_lines(seen, lines)


def _text_lines(seen: SeenPage, lines: int) -> Iterator["Text"]:
    from rich.text import Text

    shown, count = first_lines(seen, lines, sys.maxsize)
    if count and lines:
        yield Text()
        yield Text(printable(shown.text, lines=True))
    if count > lines:
        yield Text(f"… {count - lines} more lines; --all prints them.", style="dim")


def _facts(seen: SeenPage) -> Iterator[tuple[str, str]]:
    """Yield labels and texts: of the page, its fetch and reading, and the parts of the view."""
    yield "url", seen.url
    if seen.status:
        sizes = f"{seen.bytes:,} bytes in {seen.fetch_ms} ms"
        yield "status", f"{seen.status}, {seen.content_type or 'no type'}, {sizes}"
    if seen.read_as:
        yield "read as", f"{seen.read_as}, language {seen.language}, in {seen.read_ms} ms of CPU"
    if seen.title:
        yield "title", seen.title
    for each in seen.selectors:
        yield "selector", _selector_line(each)
        if each.doubt:
            yield "", f"warning: {each.doubt}"
    for ignored in seen.ignored:
        times = "once" if ignored.matches == 1 else f"{ignored.matches:,} times"
        found = f"{times}, {ignored.first!r}" if ignored.matches else "nothing"
        yield "ignore", f"{ignored.position} {ignored.pattern}: {found}"
    if seen.number is not None:
        yield "number", f"{seen.number.written} → {seen.number}"
        yield from (("", f"doubt: {doubt}") for doubt in seen.number.doubts)


def _labelled(label: str, text: str) -> "Text":
    from rich.text import Text

    return Text(f"{label:>{LABEL}}  ", style="dim") + Text(printable(text), style="not dim")


def _selector_line(found: SelectorResult) -> str:
    from schemas.codec.json_values import nested_json

    (selector,) = nested_json(found.selector).values()
    shown = selector["exact"] if isinstance(selector, dict) else selector
    what = f"{found.position} {shown}"
    if found.reason or not found.lines:
        return f"{what}: {found.reason or 'nothing'}"
    alike = "" if found.confidence in {None, 1.0} else f"{found.confidence:.0%} the same, "
    lines = f"{found.lines} {'line' if found.lines == 1 else 'lines'}"
    return f"{what}: {alike}{lines}, {found.first!r}"


def _sentence(match: Diff, *, is_coloured: bool) -> "Text":
    """Return a sentence with its matches marked."""
    from rich.text import Text

    before, after = ("", "") if is_coloured else ("[", "]")
    line, at = Text(style="not dim"), 0
    for span in match.marks.text.keyword:
        line.append(printable(match.text[at : span.start]))
        word = printable(match.text[span.start : span.end])
        line.append(f"{before}{word}{after}", style="bold green")
        at = span.end
    line.append(printable(match.text[at:]))
    return line
