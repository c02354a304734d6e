"""Past notifications for the form to add a watch, from the kept changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.explanations import judgement_lines
from connectors.languages.texts import gettext
from connectors.page.add.add_form import field_errors, read_form, request_body
from connectors.page.rendering import Views
from connectors.reads.trial_limits import AskedPart, BacktestLimits, TrialRefused
from connectors.serving.sending import SENDER
from schemas.codec.backtests import KeywordTally, PastNotifications
from schemas.codec.json_requests import readable_subscribe

NEWEST = 3
"""The most notifications shown; of a watch with a rule, JUDGED."""
JUDGED = 10
MAX_ENTRIES = 3
"""Entries of each."""
QUICK_CPU_S = 1.0
"""While somebody types, longer searches are cancelled."""


class BacktestPage:
    """The handler of backtests of the form to add a watch."""

    def __init__(self, backtests: BacktestLimits, views: Views) -> None:
        """Backtest as REST does."""
        self._backtests = backtests
        self._views = views

    async def show(self, request: web.Request) -> web.Response:
        """Answer with the past notifications for the form."""
        fields = await request.post()
        form = read_form(fields).watches[0]
        if fields.get("do") != "judge":  # as somebody types, no model is asked
            form = replace(form, rule="", summary=False)
        part = AskedPart(JUDGED if form.rule else NEWEST, cpu_s=QUICK_CPU_S)
        command, unread = readable_subscribe(request_body(form))
        manager = caller(request).manager
        try:
            found = await self._backtests.backtest(manager, command, part, unread)
        except TrialRefused as refused:
            errors = field_errors(refused.refusal)
            texts = (each if each.endswith(".") else f"{each}." for each in errors.values())
            past = ShownPast(None, refusal=" ".join(texts), is_of_url=[*errors] == ["url"])
            return await self._page(request, refused.refusal.code.status, past)
        past = await request.app[SENDER].render(lambda: shown_past(form.words, found))
        return await self._page(request, 200, past)

    async def _page(self, request: web.Request, status: int, past: "ShownPast") -> web.Response:
        return await self._views.page(
            request, "backtest", status, title=gettext("Keywords on the past"), past=past
        )


@dataclass(frozen=True, slots=True)
class PastKeyword:
    """A keyword, and its notifications: how many, and the time (epoch ms) of the last."""

    keyword: str
    total: int
    last: int


@dataclass(frozen=True, slots=True)
class PastNews:
    """A hypothetical notification; ``more`` counts the entries not shown."""

    at: int
    entries: Sequence[ShownEntry]
    more: int
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ShownPast:
    """The result of a backtest for people, with a line for each keyword; or why there is none.

    A refusal ``is_of_url`` if the preview gives the same reason.
    """

    found: PastNotifications | None
    keywords: Sequence[PastKeyword] = ()
    newest: Sequence[PastNews] = ()
    refusal: str = ""
    is_of_url: bool = False


def shown_past(keywords: Sequence[str], found: PastNotifications) -> ShownPast:
    """Return the results of a backtest for people."""
    none, lines = KeywordTally(0, 0), []
    for each in dict.fromkeys(keywords):
        known = found.keywords.get(each, none)
        lines.append(PastKeyword(each, known.count, known.last))
    newest = []
    for fact, _ in found.listed:
        entries, more = shown_entries(fact.diffs, MAX_ENTRIES)
        newest.append(PastNews(fact.at, entries, more, judgement_lines(fact)))
    return ShownPast(found, lines, newest)
