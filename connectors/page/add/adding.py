"""Add a watch: preview the page like Vokter, then subscribe, then test the receiver."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.explanations import ordinal_item
from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext
from connectors.page.add.add_form import (
    DEPTHS,
    ENDS,
    KINDS,
    LONGEST,
    MAX_TITLE,
    NUMBER,
    PATIENCES,
    STOCK,
    UNITS,
    AddForm,
    field_errors,
    read_form,
    request_body,
    with_part,
    wordless_error,
)
from connectors.page.add.hints import page_hints
from connectors.page.add.preview import (
    beyond_limits,
    found_parts,
    marked_text,
    seen_keywords,
)
from connectors.page.asking import accepted, request_id_of
from connectors.page.rendering import PageRefused, Views
from connectors.reads.trial_limits import TrialLimits, TrialRefused
from connectors.requests.outcomes import ClientRequests, RequestOutcome
from schemas.codec.json_requests import parse, readable_subscribe
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.codes import Code
from schemas.records.credentials import CHANNEL_KIND, NOT_FOR_PAGES, SealedCredentials
from schemas.records.egress_policy import is_private_refusal
from schemas.records.faults import Fault, Refusal
from schemas.records.previews import (
    MAX_CHARACTERS,
    NO_COPY,
    Preview,
    PreviewQuery,
    SeenPage,
    first_lines,
)
from schemas.records.subscriptions import Subscription
from schemas.records.timezones import timezones
from schemas.records.views import Selector, is_by_position

AGAIN = "again"
"""The id of no copy: a previewed page is shown again, and not fetched for a while."""
_NO_PREVIEW: dict[str, Any] = {
    "edited": "",
    "there": "",
    "done": (),
    "errors": {},
    "seen": None,
    "hints": (),
    "is_private": False,
}
LINES = 1_000
"""The most lines of a page's text in a preview."""


@dataclass(frozen=True, slots=True)
class AddPorts:
    """The functions needed to add a watch.

    ``preview`` reads a page; ``prepare`` starts the readers, so that the first page need not wait
    for them. ``credentials`` returns those of a manager. ``searchable`` returns the keywords with a
    word: the others match nothing. ``least_interval`` (s) and ``host_delay`` (s) between requests
    to a site are the deployment's; ``renders`` says whether there is a browser, and ``judges``
    whether there is a language model.
    """

    preview: Callable[[Subscription, PreviewQuery], Awaitable[Preview]]
    prepare: Callable[[], None]
    credentials: Callable[[str], Awaitable[Sequence[SealedCredentials]]]
    searchable: Callable[[Sequence[str]], Sequence[str]]
    least_interval: int
    host_delay: float
    renders: bool
    judges: bool

    def wordless(self, form: AddForm) -> list[str]:
        """Return the keywords of a form without a word, which would match nothing."""
        if form.keywords and not form.keywords.strip():
            return [form.keywords]
        searchable = self.searchable(form.words)
        return [word for word in form.words if word != "*" and word not in searchable]


class AddHandlers:
    """The handlers of adding."""

    def __init__(
        self, jobs: ClientRequests, trials: TrialLimits, ports: AddPorts, views: Views
    ) -> None:
        """Preview pages in the turns of ``trials``, and subscribe with ``jobs``."""
        self._jobs = jobs
        self._trials = trials
        self._ports = ports
        self._views = views

    async def form(self, request: web.Request) -> web.Response:
        """Answer with the form: empty, or with the page and part in the address."""
        self._ports.prepare()
        url, channel, quote = (request.query.get(name, "") for name in ("url", "channel", "quote"))
        form = AddForm(url=url, channel=channel, quote=quote)
        send, by = "channel" if channel else form.send, "quote" if quote else form.by
        return await self._form(request, replace(form, send=send, by=by))

    async def add(self, request: web.Request) -> web.Response:
        """Preview the page of the form, or subscribe."""
        fields = await request.post()
        form = read_form(fields)
        action = fields.get("do")
        if action not in ("subscribe", "replace"):
            return await self._preview(request, form, preview_query(form, fields))
        added: list[tuple[AddForm, RequestOutcome]] = []
        for each in form.watches:
            body = request_body(each) | ({"replace": True} if action == "replace" else {})
            found = await self._asked(request, each, body, request_id_of(fields, body))
            if found.code != Code.OK:
                refusal = Refusal(found.code, found.detail, found.faults)
                return await self._refused(
                    request,
                    form,
                    refusal,
                    there=found.id,
                    done=[gettext(KINDS[one.kind]) for one, _ in added],
                )
            added.append((each, found))
        return await self._views.page(
            request,
            "added",
            title=gettext("Watching"),
            added=added,
            form=form,
            pages="",
            kinds={kind: gettext(name) for kind, name in KINDS.items()},
        )

    async def _asked(
        self, request: web.Request, form: AddForm, body: Mapping[str, Any], once: str
    ) -> RequestOutcome:
        command, unread = readable_subscribe(dict(body))
        unread = (*unread, *self._wordless_faults(form))
        return await self._jobs.outcome(caller(request), command, once, unread)

    async def test(self, request: web.Request) -> web.Response:
        """Send a test notification to the receiver of a subscription."""
        fields = await request.post()
        names = {"documentUrl", "clientUrl", "session", "name"} & fields.keys()
        body = {name: str(fields[name]) for name in names}
        try:
            await accepted(self._jobs, request, parse("test", body))
        except InvalidRequestBody as error:
            raise PageRefused(400, shown_reason(str(error))) from None
        receiver = body.get("clientUrl") or body.get("session")
        return await self._views.page(
            request, "tested", title=gettext("Test notification"), receiver=receiver
        )

    async def _preview(
        self, request: web.Request, form: AddForm, query: PreviewQuery
    ) -> web.Response:
        try:
            form, values = await self._seen(request, form, query)
        except TrialRefused as refused:
            return await self._refused(request, form, refused.refusal)
        return await self._form(request, form, **values)

    async def _seen(
        self, request: web.Request, form: AddForm, query: PreviewQuery
    ) -> tuple[AddForm, dict[str, Any]]:
        """Return the page as read by each watch of a form, and the form with the picked part.

        Raises TrialRefused.
        """
        seen: dict[str, Preview] = {}
        for each in form.watches:
            is_picked = each.kind == NUMBER or not form.number
            asked = query if is_picked else replace(query, picked=None)
            known = next(iter(seen.values())).page.copy_id if seen else query.known
            seen[each.kind] = await self._looked(request, each, replace(asked, known=known))
            if seen[each.kind].page == NO_COPY:  # it cannot be fetched
                break
        first = next(iter(seen.values()))
        part = next((each.page for each in seen.values() if each.page.picked), first.page)
        page = replace(first.page, picked=part.picked, found=part.found)
        if page.picked is not None:
            form = with_part(form, page.picked)
        shown, lines = first_lines(first.seen, LINES, MAX_CHARACTERS)
        shown = in_words(shown)
        number, stock = (
            in_words(seen[kind].seen) if kind in seen else None for kind in (NUMBER, STOCK)
        )
        words = [word for word in form.words if word != "*"]
        # Nothing found of a part says nothing about the page.
        title = shown.title or (form.title if page != NO_COPY else "")
        return replace(form, title=title[:MAX_TITLE]), {
            "seen": shown,
            "number": number,
            "stock": stock,
            "lines": lines,
            "page": page,
            "hints": page_hints(form, shown, page),
            "is_private": is_private_refusal(first.seen.reason),
            "ordinal": ordinal_item,
            "is_by_position": is_by_position,
            "has_moved": query.picked is not None and query.known != page.copy_id,
            "beyond": beyond_limits(number.number if number else None, form),
            "parts": found_parts((number or shown).selectors, form.by),
            "keywords": [] if shown.reason else seen_keywords(words, shown.matches),
            "wordless": self._ports.wordless(form),
            "runs": marked_text(shown.text, shown.matches),
        }

    async def _looked(self, request: web.Request, form: AddForm, query: PreviewQuery) -> Preview:
        command, unread = readable_subscribe(request_body(form))
        asked = replace(query, others=_others(form))

        def look(subscription: Subscription) -> Awaitable[Preview]:
            return self._ports.preview(subscription, asked)

        return await self._trials.trial(caller(request).manager, command, look, unread)

    def _wordless_faults(self, form: AddForm) -> list[Fault]:
        found = self._ports.wordless(form)
        return [Fault(Code.NO_KEYWORD, "keywords", wordless_error(found))] if found else []

    async def _refused(
        self,
        request: web.Request,
        form: AddForm,
        refusal: Refusal,
        *,
        there: str = "",
        done: Sequence[str] = (),
    ) -> web.Response:
        """Answer with the form and its errors, and the preview if any.

        ``there`` is the watch in the way, ``done`` are the kinds watched already.
        """
        errors, values = field_errors(refusal), dict[str, Any]()
        if form.send == "channel" and "webhook" in errors:
            errors["channel"] = errors.pop("webhook")
        if form.by == "quote" and "part" in errors:
            errors.setdefault("quote", errors.pop("part"))
        if form.title and "url" not in errors:
            wrong = {name: getattr(AddForm(), name) for name in errors if name}
            with suppress(TrialRefused):
                again = PreviewQuery(known=AGAIN)
                _, values = await self._seen(request, replace(form, **wrong), again)
        is_private = is_private_refusal(refusal.detail)
        values |= {"errors": errors, "there": there, "done": done, "is_private": is_private}
        return await self._form(request, form, refusal.code.status, **values)

    async def _form(
        self, request: web.Request, form: AddForm, status: int = 200, **values: Any
    ) -> web.Response:
        stored = await self._ports.credentials(caller(request).manager)
        return await self._views.page(
            request,
            "add",
            status,
            form=form,
            depths=DEPTHS,
            units=UNITS,
            longest=LONGEST,
            patiences=PATIENCES,
            endings=ENDS,
            timezones=timezones(),
            least_interval=self._ports.least_interval,
            host_delay=self._ports.host_delay,
            credentials=[row for row in stored if row.kind not in NOT_FOR_PAGES],
            channels=[row for row in stored if row.kind == CHANNEL_KIND],
            renders=self._ports.renders,
            judges=self._ports.judges,
            once=uuid4().hex,
            **{"title": gettext("Add a page"), **_NO_PREVIEW, **values},
        )


def in_words(seen: SeenPage) -> SeenPage:
    """Return a page of which the reason and the doubts are in words of people."""
    number = seen.number
    if number is not None:
        number = replace(number, doubts=tuple(map(shown_reason, number.doubts)))
    return replace(seen, reason=shown_reason(seen.reason), number=number)


def preview_query(form: AddForm, fields: Mapping[str, Any]) -> PreviewQuery:
    """Return the query of a preview; only a script says which part is shown and picked."""
    picked = str(fields.get("picked", ""))
    return PreviewQuery(
        known=str(fields.get("shown", "")),
        picked=int(picked) if picked.isdecimal() and len(picked) < 9 else None,
        by_quote=form.by == "quote",
    )


def _others(form: AddForm) -> tuple[Selector, ...]:
    """Return the unchosen selector, if valid."""
    other = replace(form, by="css" if form.by == "quote" else "quote")
    command, unread = readable_subscribe(request_body(other))
    return () if unread else command.options.view.select
