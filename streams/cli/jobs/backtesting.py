"""``vokter backtest``: what a subscription would have been notified of, from the store."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from schemas.faults import Refusal
from schemas.requests import Subscribe
from streams.cli.durations import shown_age
from streams.cli.jobs.refusals import refused
from streams.cli.jobs.watch_view import shown_lines
from streams.cli.output import print_json, printable
from streams.cli.progress import waiting
from streams.cli.setup.existing_store import check_store_exists
from streams.clock import now
from streams.core.register.requests import check
from streams.core.text.keywords import valid_keywords
from streams.settings import Settings
from streams.trial.backtesting import Backtest, BacktestQuery, backtest, backtest_json
from streams.wiring.backtest import opened_backtests
from streams.wiring.connections import opened_store
from streams.wiring.rules import rules

LABEL = 8
"""Characters of the column that says what a line shows."""
STOPPED = {
    "changes": "older changes were left: this is as many as one backtest looks at",
    "time": "older changes were left: this is as long as one backtest takes",
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    """How many seconds of the history are searched, None for all, and what is printed."""

    since: int | None
    limit: int
    is_json: bool = False


async def print_backtest(settings: Settings, asked: Subscribe, shown: ShownPart) -> None:
    """Backtest a request and print what is found; raises Refused if it may not be asked for."""
    found = check(asked, rules(settings), valid_keywords)
    if isinstance(found, Refusal):
        raise refused(asked, found, action="backtest")
    check_store_exists(settings)
    at = now()
    query = BacktestQuery(0 if shown.since is None else at - 1000 * shown.since, None, shown.limit)
    async with (
        waiting("reading the history"),
        opened_store(settings) as store,
        opened_backtests(settings, store.facts) as effects,
    ):
        result = await backtest(effects, asked, query)
    if shown.is_json:
        print_json(backtest_json(result))
        return
    console = Console(highlight=False)
    is_marked = console.color_system is not None and not console.no_color
    for line in backtest_lines(result, at, is_marked=is_marked):
        console.print(line, soft_wrap=True)


def backtest_lines(found: Backtest, at: int, *, is_marked: bool) -> Iterator[Text]:
    """Yield what is printed at a time (epoch ms): the history, the keywords, the notifications."""
    tally, history = found.tally, found.history
    yield _labelled("url", tally.subscription.document_url)
    if history is None:
        none = f"none: {tally.subscription.manager} has not subscribed to this page in this view"
        yield _labelled("history", none)
        return
    since = shown_age(at - max(found.since, history.begin))
    yield _labelled("history", f"{_counted(tally.changes, 'change')} since {since}")
    if found.stopped:
        yield _labelled("", STOPPED[found.stopped])
    if tally.without_texts:
        lacking = f"{_counted(tally.without_texts, 'change')} without the whole texts"
        yield _labelled("", f"{lacking}: keywords were sought around what changed")
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


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _labelled(label: str, text: str) -> Text:
    return Text(f"{label:>{LABEL}} ", style="dim") + Text(printable(text), style="not dim")
