"""What the form to add a watch would have brought, from the changes that are kept."""

from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.backtests import AskedPart, BacktestHandler, PastNotifications
from connectors.api.sending import SENDER
from connectors.api.trials import TrialRefused
from connectors.display.entries import shown_entries
from connectors.page.add_form import field_errors, read_form, request_body
from connectors.page.rendering import Views
from schemas.codec.json_requests import readable_request
from schemas.codec.times import rfc3339
from schemas.records.faults import Refusal
from schemas.records.requests import Subscribe

NEWEST = 3
"""Notifications that are shown."""
MAX_ENTRIES = 3
"""Entries of each."""
QUICK_CPU_S = 1.0
"""As somebody types, what takes longer is left."""


class BacktestPage:
    """The handler of backtests of the form to add a watch."""

    def __init__(self, backtests: BacktestHandler, views: Views) -> None:
        """Backtest as REST does."""
        self._backtests = backtests
        self._views = views

    async def show(self, request: web.Request) -> web.Response:
        """Answer with what the request in the form would have brought."""
        form = read_form(await request.post())
        part = AskedPart(limit=NEWEST, cpu_s=QUICK_CPU_S)
        command, unread = readable_request("subscribe", request_body(form))
        assert isinstance(command, Subscribe), "the action says so"
        manager = caller(request).manager
        try:
            found = await self._backtests.backtest(manager, command, part, unread)
        except TrialRefused as refused:
            return await self._refused(request, refused.refusal)
        past = await request.app[SENDER].render(lambda: shown_past(form.words, found))
        return await self._page(request, 200, past)

    async def _refused(self, request: web.Request, refusal: Refusal) -> web.Response:
        text = " ".join(map(_sentence, field_errors(refusal).values()))
        return await self._page(request, refusal.code.status, {"refusal": text})

    async def _page(self, request: web.Request, status: int, past: dict[str, Any]) -> web.Response:
        return await self._views.page(
            request, "backtest", status, title="Keywords on the past", past=past
        )


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def shown_past(keywords: list[str], found: PastNotifications) -> dict[str, Any]:
    """Return what a backtest found for people, with a line for each keyword."""
    answer = found.answer
    known = {each["keyword"]: each for each in answer["keywords"]}
    none = {"total": 0, "last": None}
    lines = [{"keyword": each, **none, **known.get(each, {})} for each in dict.fromkeys(keywords)]
    newest = []
    for fact in found.notifications:
        entries, more = shown_entries(fact.diffs, MAX_ENTRIES)
        newest.append({"at": rfc3339(fact.at), "entries": entries, "more": more})
    return {**answer, "keywords": lines, "newest": newest}
