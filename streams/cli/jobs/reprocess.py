"""``vokter reprocess``: kept pages are read again, and the differences are printed."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from schemas.codec.times import rfc3339
from schemas.records.reprocessing import ReadAgain, Reprocessed
from schemas.records.subscriptions import Options
from streams.cli.discovery import with_broker
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_url
from streams.cli.jobs.flags import with_option_flags
from streams.cli.options import AsJson, DataDir, Manager, run, settings_of
from streams.cli.output import print_json, printable, say

if TYPE_CHECKING:
    from streams.cli.jobs.reprocess_pages import AskedPages
    from streams.settings import Settings

app = command_app()

ASK_EVERY_S = 5.0
"""Seconds after which the group is asked for its members again."""
NO_WORKER = "no worker of history runs. Start one: 'vokter worker history' or 'vokter up'."
MAX_NAMED = 5
"""The most ids of subscriptions in a line."""
KEEP = "no body was kept: VOKTER_KEEP_BODIES keeps those of later snapshots"


class NoWorker(Exception):
    """Nobody reads pages again; the text names the remedy."""


@app.command("reprocess")
@with_option_flags("content_type", "view")
def reprocess_command(
    url: Annotated[
        str | None,
        typer.Argument(
            help="The page to read again; https if no scheme is named.",
            parser=parse_url,
            metavar="[URL]",
        ),
    ] = None,
    *,
    options: Options,
    all_: Annotated[bool, typer.Option("--all", help="All pages that are watched.")] = False,
    since: Annotated[
        int | None,
        typer.Option(
            help="Only what was kept in this time.", parser=parse_duration, metavar="DURATION"
        ),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option(help="Replace the newest texts that another version of a reader has read."),
    ] = False,
    index: Annotated[
        bool,
        typer.Option("--index", help="Make the index of 'vokter search' again; reads no page."),
    ] = False,
    diff: Annotated[bool, typer.Option(help="Print the differences of each page.")] = False,
    manager: Manager = "default",
    json_: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Read kept pages again with the readers and stemmers that run now, or in another view.

    Shows which texts, changes and notifications would be others. Replaces nothing without
    --apply, and notifies nobody. Pages have to be kept for it: VOKTER_KEEP_BODIES. --index is
    for searches alone: after another version of a stemmer, or if a search misses older changes.
    """
    from streams.cli.jobs.reprocess_pages import AskedPages

    if index:
        if url is not None or all_ or apply or diff or since is not None:
            raise typer.BadParameter("takes no page and no other option", param_hint="--index")
        run(_index(settings_of(data_dir=data_dir)))
        return
    if (url is None) != all_:
        raise typer.BadParameter("name one URL, or --all", param_hint="URL")
    asked = AskedPages(url, options, manager, since, replace=apply)
    if asked.has_view and (all_ or apply):
        raise typer.BadParameter(
            "another view is tried for one URL, and replaces no text; to use it, subscribe with "
            "it ('vokter subscribe')",
            param_hint="view",
        )
    work = _reprocess(settings_of(data_dir=data_dir), asked, shows_differences=diff, is_json=json_)
    run(work)


async def _index(settings: "Settings") -> None:
    """Find the terms of all changes again; may be interrupted and repeated."""
    from streams.cli.progress import progress
    from streams.cli.setup.existing_store import existing_store
    from streams.effects.search import index_changes

    async with existing_store(settings) as store:
        with progress("changes") as advance:
            count = await index_changes(settings, store.search, advance)
    say(f"{count:,} changes are in the index.")


async def _reprocess(
    settings: "Settings", asked: "AskedPages", *, shows_differences: bool, is_json: bool
) -> None:
    """Read pages again, and print the differences. Raises NothingKept and NoWorker."""
    from streams.cli.jobs.reprocess_pages import commands_for, count_workers, read_again
    from streams.cli.progress import counted
    from streams.cli.setup.existing_store import existing_store
    from streams.cli.setup.preparation import create_all_topics

    settings = with_broker(settings)
    async with existing_store(settings) as store:
        await create_all_topics(settings)
        if not await count_workers(settings):
            raise NoWorker(f"Nothing was read again: {NO_WORKER}")
        summary = ReprocessSummary()
        results = read_again(settings, commands_for(store.kept, asked))
        hint = asyncio.create_task(_say_without_worker(settings))
        try:
            async with aclosing(results):
                async for result in counted(results, "pages read again"):
                    summary.add(result)
                    if is_json:
                        print_json(result_json(result))
                    elif shows_differences:
                        _print(page_lines(result))
        finally:
            hint.cancel()
    if not is_json:
        _print(summary.lines())


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(printable(line), flush=True)


async def _say_without_worker(settings: "Settings") -> None:
    """Print once a note about pages in wait for workers."""
    from aiokafka.errors import KafkaError

    from streams.cli.jobs.reprocess_pages import count_workers

    has_worker = True
    while has_worker:
        await asyncio.sleep(ASK_EVERY_S)
        with suppress(KafkaError):  # the broker is asked again
            has_worker = await count_workers(settings) > 0
    say(f"Pages wait: {NO_WORKER}")


@dataclass(slots=True)
class ReprocessSummary:
    """Counts of pages, each in a view, and of their results."""

    pages: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    unread: int = 0

    def add(self, result: Reprocessed) -> None:
        """Count a page."""
        self.pages += 1
        self.unread += bool(result.unread)
        if result.outcome:
            self.outcomes[result.outcome] += 1
        for each in result.times:
            found = {"same": each.same, "added": each.added, "removed": each.removed}
            self.counts.update({name: len(several) for name, several in found.items()})
            if each.problem:
                self.counts["problem"] += 1
            elif each.body_sha256:
                self.counts["other text" if each.edits else "same text"] += 1
            elif each.reader:
                self.counts["no body"] += 1
            if each.is_compared and each.was_change:
                self.counts["same change" if each.is_change else "no change"] += 1
            elif each.is_compared and each.is_change:
                self.counts["new change"] += 1

    def lines(self) -> Iterator[str]:
        """Yield the lines to print."""
        counts = self.counts
        yield f"        pages  {self.pages:,}, each in one view"
        read = f"{counts['same text']:,} as before, {counts['other text']:,} otherwise"
        failed = f", {counts['problem']:,} cannot be read" if counts["problem"] else ""
        yield f"    snapshots  {read}{failed}"
        if counts["no body"]:
            yield f"               {counts['no body']:,} not read: {KEEP}"
        yield (
            f"      changes  {counts['same change']:,} as before, {counts['new change']:,} new, "
            f"{counts['no change']:,} none any more"
        )
        yield (
            f"notifications  {counts['same']:,} as before, {counts['added']:,} new, "
            f"{counts['removed']:,} none any more"
        )
        for outcome, count in sorted(self.outcomes.items()):
            yield f"  newest text  {count:,}: {outcome}"
        if self.unread:
            yield f"               {self.unread:,} pages took too long: --since reads less of them"


def result_json(result: Reprocessed) -> dict[str, Any]:
    """Return the result of a page by REST's names."""
    return {
        "url": result.url,
        "view": result.view,
        "times": [
            {
                "at": rfc3339(each.at),
                "reader": each.reader or None,
                "readerNow": each.reader_now or None,
                "bodySha256": each.body_sha256 or None,
                "edits": each.edits,
                "difference": each.difference,
                "problem": each.problem or None,
                "wasChange": each.was_change,
                "isChange": each.is_change if each.is_compared else None,
                "same": each.same,
                "added": each.added,
                "removed": each.removed,
            }
            for each in result.times
        ],
        "outcome": result.outcome or None,
        "unread": result.unread or None,
    }


def page_lines(result: Reprocessed) -> Iterator[str]:
    """Yield the differences of a page in a view; nothing if there are none."""
    several = []
    for each in result.times:
        if found := list(_differences(each)):
            is_other = each.reader_now != each.reader
            readers = f", {each.reader} -> {each.reader_now}" if is_other else ""
            digest = f", sha256 {each.body_sha256}" if each.body_sha256 else ""
            several.append(f"  {rfc3339(each.at)}{readers}{digest}")
            several += [f"    {line}" for line in found]
    if several or result.unread:
        yield f"{result.url} {result.view}".rstrip()
        yield from several
    if result.unread:
        yield f"  {result.unread}"


def _differences(each: ReadAgain) -> Iterator[str]:
    if each.problem:
        yield f"cannot be read now: {each.problem}"
    if each.edits:
        yield f"{each.edits:,} sentences or lines are read otherwise:"
        yield from each.difference.splitlines()
    if each.is_compared and each.was_change != each.is_change:
        yield "would be a change" if each.is_change else "would be no change"
    for verb, several in (
        ("would be notified", each.added),
        ("would not be notified", each.removed),
    ):
        if several:
            named = ", ".join(several[:MAX_NAMED]) + (", …" if len(several) > MAX_NAMED else "")
            yield f"{verb}: {named}"
