"""``vokter backtest``: the past notifications of a subscription, from the store."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.cli.discovery import with_running
from streams.cli.durations import shown_age
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import Since, Url, Words
from streams.cli.jobs.flags import with_option_flags
from streams.cli.jobs.refusals import asked_subscription
from streams.cli.options import AsJson, DataDir, Manager, run, settings_of
from streams.cli.output import print_json, printable, say
from streams.effects.clock import now

if TYPE_CHECKING:
    from rich.text import Text

    from streams.agents.history.backtest import Backtest
    from streams.agents.history.backtest_archives import ArchivedHistory
    from streams.agents.history.backtest_judge import JudgedPast
    from streams.settings import Settings

app = command_app()

LABEL = 8
"""Characters of the column with labels."""
STOPPED = {
    "changes": "older changes were left: this is as many as one backtest looks at",
    "time": "older changes were left: this is as long as one backtest takes",
    "captures": "later captures of the archives were left: one backtest reads 10,000",
    "archives": "what follows in the archives was left: they were searched for 10 minutes of CPU",
}


@app.command("backtest")
@with_option_flags(
    "content_type",
    "on_status",
    "view",
    "interval",
    "patience",
    "patience_visits",
    "hours",
    "max_per_day",
    "timezone",
    "ignore_added",
    "ignore_removed",
    "ignore_returns",
    "ignore_noise",
    "notify_moves",
    "notify_dropped",
    "scope",
    "enable_stemming",
    "filter_stopwords",
    "ignore_case",
    "snippet_offset",
    "when",
    "rule",
    "summary",
    "summary_wish",
    "summary_language",
)
def backtest_command(
    url: Url,
    words: Words = None,
    *,
    options: Options,
    since: Since = None,
    limit: Annotated[int, typer.Option(help="At most so many, the newest.", min=1, max=1_000)] = 10,
    manager: Manager = "default",
    archive: Annotated[
        list[Path] | None,
        typer.Option(
            help="Captures of the page in this WARC file, instead of the store's; repeatable.",
            exists=True,
            dir_okay=False,
            readable=True,
        ),
    ] = None,
    json_: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show what a subscription would have been notified of by the changes that are kept.

    Reads the store. Only changes of the page in the same view count, since the manager
    subscribed to it. Of a page without a history, archives can be read instead.
    """
    asked = Subscribe(
        url, Receiver("channel:try"), manager=manager, keywords=tuple(words or ()), options=options
    )
    shown = ShownPart(since, limit, is_json=json_)
    settings = with_running(settings_of(data_dir=data_dir))
    if archive:
        run(_print_archive_backtest(settings, asked, shown, [*map(str, archive)]))
    else:
        run(print_backtest(settings, asked, shown))


@dataclass(frozen=True, slots=True)
class ShownPart:
    """The seconds of the history to search, None for all, and the part to print."""

    since: int | None
    limit: int
    is_json: bool = False

    def begin(self, at: int) -> int:
        """Return the time from which on changes count, at a time (both epoch ms)."""
        return 0 if self.since is None else at - 1000 * self.since


async def print_backtest(settings: "Settings", asked: Subscribe, shown: ShownPart) -> None:
    """Backtest a request and print the results; raises Refused for a forbidden request."""
    from connectors.api.tried import backtest_json
    from streams.agents.history.backtest import BacktestQuery, backtest, past_notifications
    from streams.cli.progress import waiting
    from streams.cli.setup.existing_store import existing_store
    from streams.effects.backtest import opened_backtests

    subscription = asked_subscription(settings, asked, "backtest")
    at = now()
    query = BacktestQuery(shown.begin(at), None, shown.limit)
    async with (
        waiting("reading the history"),
        existing_store(settings) as store,
        opened_backtests(settings, store.facts) as effects,
    ):
        result = await backtest(effects, subscription, query)
    past = await _judged(settings, result)
    if shown.is_json:
        found = replace(past_notifications(result), judged=past.judged, tokens=past.tokens)
        print_json(backtest_json(found))
    else:
        _print(lambda is_marked: backtest_lines(result, at, is_marked=is_marked))
        if past.judged:
            say(f"{_counted(past.judged, 'notification')} judged; it took {past.tokens:,} tokens.")


async def _judged(settings: "Settings", result: "Backtest") -> "JudgedPast":
    """Judge the newest listed notifications, for a rule or a summary."""
    from streams.agents.history.backtest_judge import PastJudge
    from streams.cli.progress import waiting
    from streams.effects.judge import model_limits, opened_model

    async with waiting("asking the language model"), opened_model(settings) as model:
        judge = PastJudge(model, model_limits(settings), now)
        past = await judge.judge(result.tally.subscription, result.tally.listed)
    result.tally.listed[:] = past.listed
    return past


async def _print_archive_backtest(
    settings: "Settings", asked: Subscribe, shown: ShownPart, files: list[str]
) -> None:
    """Backtest a request with archived captures instead of the history of the store.

    Raises Refused for a forbidden request, and ArchiveUnreadable.
    """
    from connectors.api.tried import backtest_json
    from streams.agents.history.backtest import past_notifications
    from streams.agents.history.backtest_archives import archive_backtest, archived_history
    from streams.cli.progress import waiting
    from streams.effects.archives import opened_archives

    subscription = asked_subscription(settings, asked, "backtest")
    at = now()
    async with waiting("reading the archives"), opened_archives(settings) as effects:
        found = await archived_history(effects, subscription, files)
        result = archive_backtest(subscription, found, shown.begin(at), shown.limit)
    if shown.is_json:
        about = {"captures": len(found.captures), "skipped": found.skipped}
        print_json({**backtest_json(past_notifications(result)), **about, "reasons": found.reasons})
    else:
        _print(lambda is_marked: archive_lines(found, result, at, is_marked=is_marked))


def _print(lines: Callable[[bool], Iterator["Text"]]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    is_marked = console.color_system is not None and not console.no_color
    for line in lines(is_marked):
        console.print(line, soft_wrap=True)


def archive_lines(
    found: "ArchivedHistory", result: "Backtest", at: int, *, is_marked: bool
) -> Iterator["Text"]:
    """Yield what is printed of a backtest with archives at a time (epoch ms)."""
    lines = backtest_lines(result, at, is_marked=is_marked)
    yield next(lines)
    if not found.captures:
        yield _labelled("archive", "none of its captures is of this address")
        return
    first, last = (shown_age(at - found.captures[end].at) for end in (0, -1))
    yield _labelled("archive", f"{_counted(len(found.captures), 'capture')}, {first} to {last}")
    if found.skipped:
        yield _labelled("", f"{_counted(found.skipped, 'capture')} left out:")
        yield from (_labelled("", reason) for reason in found.reasons)
    yield from lines


def backtest_lines(found: "Backtest", at: int, *, is_marked: bool) -> Iterator["Text"]:
    """Yield what is printed at a time (epoch ms): the history, the keywords, the notifications."""
    from rich.text import Text

    from streams.cli.jobs.notification_view import shown_lines

    tally, history = found.tally, found.history
    yield _labelled("url", tally.subscription.document_url)
    if history is None:
        none = f"none: {tally.subscription.manager} has not subscribed to this page in this view"
        yield _labelled("history", none)
        return
    since = shown_age(at - max(found.since, history.begin))
    yield _labelled("history", f"{_counted(tally.changes, 'change')} since {since}")
    yield from (_labelled("", each) for each in _remarks(found))
    for keyword in tally.subscription.keywords:
        known = tally.keywords.get(keyword)
        what = "none"
        if known is not None:
            count = _counted(known.count, "notification")
            what = f"{count}, the last {shown_age(at - known.last)}"
        yield _labelled("keyword", f"{keyword}: {what}")
    for each in tally.listed:
        yield Text()
        yield _labelled("", shown_age(at - each.notification.at))
        yield from shown_lines(each.notification, is_marked=is_marked)
    left = tally.notifications - len(tally.listed)
    if left:
        yield Text(f"… {left} more notifications; --limit prints more.", style="dim")


def _remarks(found: "Backtest") -> Iterator[str]:
    tally = found.tally
    if found.stopped:
        yield STOPPED[found.stopped]
    if tally.without_texts:
        lacking = f"{_counted(tally.without_texts, 'change')} without the whole texts"
        yield f"{lacking}: keywords were sought around what changed"
    if tally.dropped:
        yield f"{_counted(tally.dropped, 'edit')} did not stand"
    if tally.waiting:
        yield f"{_counted(tally.waiting, 'change')} may yet stand"
    if tally.held:
        yield f"{_counted(tally.held, 'notification')} would have waited"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _labelled(label: str, text: str) -> "Text":
    from rich.text import Text

    return Text(f"{label:>{LABEL}} ", style="dim") + Text(printable(text), style="not dim")
