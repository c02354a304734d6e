"""Add a watch: see the page as Vokter sees it, then subscribe, then test the receiver."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from aiohttp import web

from connectors.access.callers import caller
from connectors.page.add.add_form import (
    DEPTHS,
    LONGEST,
    PATIENCES,
    UNITS,
    AddForm,
    field_errors,
    read_form,
    request_body,
    with_part,
    wordless_error,
)
from connectors.page.add.preview import beyond_limits, found_parts, marked_text, seen_keywords
from connectors.page.asking import accepted, request_id_of
from connectors.page.rendering import PageRefused, Views
from connectors.reads.trial_limits import TrialLimits, TrialRefused
from connectors.requests.outcomes import ClientRequests
from schemas.codec.json_requests import parse, readable_request
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.codes import Code
from schemas.records.credentials import CHANNEL_KIND, NOT_FOR_PAGES, SealedCredentials
from schemas.records.faults import Fault, Refusal
from schemas.records.previews import MAX_CHARACTERS, Preview, PreviewQuery, first_lines
from schemas.records.requests import ClientRequest, Subscribe
from schemas.records.subscriptions import Subscription
from schemas.records.timezones import timezones
from schemas.records.views import Selector

LINES = 1_000
"""Lines of a page's text that a preview shows."""


@dataclass(frozen=True, slots=True)
class AddPorts:
    """The functions that are asked while somebody adds a watch.

    ``preview`` reads a page; ``prepare`` starts what reads, so that
    the first page need not wait for it. ``credentials`` returns those of a manager.
    ``searchable`` returns those of some keywords that have a word: the others match nothing.
    ``least_interval`` is the deployment's, in seconds, and so is ``host_delay`` between requests to
    a site; ``renders`` says whether there is a browser that shows pages to Vokter.
    """

    preview: Callable[[Subscription, PreviewQuery], Awaitable[Preview]]
    prepare: Callable[[], None]
    credentials: Callable[[str], Awaitable[Sequence[SealedCredentials]]]
    searchable: Callable[[Sequence[str]], Sequence[str]]
    least_interval: int
    host_delay: float
    renders: bool

    def wordless(self, form: AddForm) -> list[str]:
        """Return the keywords of a form that have no word, so that they would match nothing."""
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
        """Answer with the form: empty, or with what the address says of a page and its part."""
        self._ports.prepare()
        url, channel, quote = (request.query.get(name, "") for name in ("url", "channel", "quote"))
        form = AddForm(url=url, channel=channel, quote=quote)
        send, by = "channel" if channel else form.send, "quote" if quote else form.by
        return await self._form(request, replace(form, send=send, by=by))

    async def add(self, request: web.Request) -> web.Response:
        """Preview the page of the form, or subscribe."""
        fields = await request.post()
        form = read_form(fields)
        command, unread = readable_request("subscribe", request_body(form))
        if fields.get("do") != "subscribe":
            query = _preview_query(form, fields)
            return await self._preview(request, form, (command, unread), query)
        unread = (*unread, *self._wordless_faults(form))
        once = request_id_of(fields, request_body(form))
        found = await self._jobs.outcome(caller(request), command, once, unread)
        if found.code != Code.OK:
            refusal = Refusal(found.code, found.detail, found.faults)
            return await self._refused(request, form, refusal)
        return await self._views.page(
            request,
            "added",
            title="Watching",
            form=form,
            pages="",
            id=found.id,
            secret=found.secret,
        )

    async def test(self, request: web.Request) -> web.Response:
        """Send a test notification to the receiver of a subscription."""
        fields = await request.post()
        names = {"documentUrl", "clientUrl", "session"} & fields.keys()
        body = {name: str(fields[name]) for name in names}
        try:
            await accepted(self._jobs, request, parse("test", body))
        except InvalidRequestBody as error:
            raise PageRefused(400, str(error)) from None
        receiver = body.get("clientUrl") or body.get("session")
        return await self._views.page(
            request, "tested", title="Test notification", receiver=receiver
        )

    async def _preview(
        self,
        request: web.Request,
        form: AddForm,
        read: tuple[ClientRequest, Sequence[Fault]],
        query: PreviewQuery,
    ) -> web.Response:
        command, unread = read
        assert isinstance(command, Subscribe), "the action says so"

        def look(asked: Subscription) -> Awaitable[Preview]:
            return self._ports.preview(asked, query)

        try:
            preview = await self._trials.trial(caller(request).manager, command, look, unread)
        except TrialRefused as refused:
            return await self._refused(request, form, refused.refusal)
        (seen, lines), page = first_lines(preview.seen, LINES, MAX_CHARACTERS), preview.page
        if page.picked is not None:
            form = with_part(form, page.picked)
        words = [word for word in form.words if word != "*"]
        return await self._form(
            request,
            form,
            seen=seen,
            lines=lines,
            page=page,
            has_moved=query.picked is not None and query.known != page.copy_id,
            beyond=beyond_limits(seen.number, form),
            parts=found_parts(seen.selectors, form.by),
            keywords=[] if seen.reason else seen_keywords(words, seen.matches),
            wordless=self._ports.wordless(form),
            runs=marked_text(seen.text, seen.matches),
        )

    def _wordless_faults(self, form: AddForm) -> list[Fault]:
        found = self._ports.wordless(form)
        return [Fault(Code.NO_KEYWORD, "keywords", wordless_error(found))] if found else []

    async def _refused(self, request: web.Request, form: AddForm, refusal: Refusal) -> web.Response:
        errors = field_errors(refusal)
        if form.send == "channel" and "webhook" in errors:
            errors["channel"] = errors.pop("webhook")
        return await self._form(request, form, refusal.code.status, errors=errors)

    async def _form(
        self, request: web.Request, form: AddForm, status: int = 200, **values: Any
    ) -> web.Response:
        stored = await self._ports.credentials(caller(request).manager)
        return await self._views.page(
            request,
            "add",
            status,
            title="Add a page",
            form=form,
            depths=DEPTHS,
            units=UNITS,
            longest=LONGEST,
            patiences=PATIENCES,
            timezones=timezones(),
            least_interval=self._ports.least_interval,
            host_delay=self._ports.host_delay,
            credentials=[row for row in stored if row.kind not in NOT_FOR_PAGES],
            channels=[row for row in stored if row.kind == CHANNEL_KIND],
            renders=self._ports.renders,
            once=uuid4().hex,
            **{"errors": {}, "seen": None, **values},
        )


def _preview_query(form: AddForm, fields: Mapping[str, Any]) -> PreviewQuery:
    """Return what a preview is asked for; only a script says what is shown, and what is picked."""
    picked = str(fields.get("picked", ""))
    return PreviewQuery(
        others=_others(form),
        known=str(fields.get("shown", "")),
        picked=int(picked) if picked.isdecimal() and len(picked) < 9 else None,
        by_quote=form.by == "quote",
    )


def _others(form: AddForm) -> tuple[Selector, ...]:
    """Return the selector that is not chosen, if it can be one."""
    other = replace(form, by="css" if form.by == "quote" else "quote")
    try:
        command = parse("subscribe", request_body(other))
    except InvalidRequestBody:
        return ()
    assert isinstance(command, Subscribe), "the action says so"
    return command.options.view.select
