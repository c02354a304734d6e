"""Add a watch: see the page as Vokter sees it, then subscribe, then test the receiver."""

import json
from hashlib import sha256
from typing import Any
from uuid import uuid4

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.jobs import RequestHandlers
from connectors.api.trials import TrialHandler, TrialRefused
from connectors.page.add_form import INTERVALS, AddForm, field_error, read_form, request_body
from connectors.page.preview import marked_text, seen_keywords
from connectors.page.rendering import PageRefused, Views, refusal_of
from schemas.codes import Code
from schemas.json_requests import parse
from schemas.json_values import InvalidRequestBody
from schemas.requests import ClientRequest, Subscribe

LINES = 1_000
"""Lines of a page's text that a preview shows."""


class AddHandlers:
    """The handlers of adding."""

    def __init__(self, jobs: RequestHandlers, trials: TrialHandler, views: Views) -> None:
        """Try pages with ``trials``, and subscribe with ``jobs``."""
        self._jobs = jobs
        self._trials = trials
        self._views = views

    async def form(self, request: web.Request) -> web.Response:
        """Answer with the empty form, or with a page's address in it."""
        return await self._form(request, AddForm(url=request.query.get("url", "")))

    async def add(self, request: web.Request) -> web.Response:
        """Preview the page of the form, or subscribe."""
        fields = await request.post()
        form = read_form(fields)
        try:
            command = parse("subscribe", request_body(form))
        except InvalidRequestBody as error:
            return await self._refused(request, form, Code.INVALID_FORMAT, str(error))
        if fields.get("do") != "subscribe":
            return await self._preview(request, form, command)
        # The same form sent again, as by a reload, gets the same answer; a changed one does not.
        sent = json.dumps([str(fields.get("once", "")), request_body(form)])
        once = sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()
        found = await self._jobs.outcome(caller(request), command, once)
        if found.code != Code.OK:
            return await self._refused(request, form, found.code, found.detail)
        return await self._views.page(
            request, "added", title="Watching", form=form, id=found.id, secret=found.secret
        )

    async def test(self, request: web.Request) -> web.Response:
        """Send a test notification to the receiver of a subscription."""
        fields = await request.post()
        names = {"documentUrl", "clientUrl", "session"} & fields.keys()
        body = {name: str(fields[name]) for name in names}
        try:
            found = await self._jobs.outcome(caller(request), parse("test", body))
        except InvalidRequestBody as error:
            raise PageRefused(400, str(error)) from None
        if found.code != Code.OK:
            raise refusal_of(found.code, found.detail)
        receiver = body.get("clientUrl") or body.get("session")
        return await self._views.page(
            request, "tested", title="Test notification", receiver=receiver
        )

    async def _preview(
        self, request: web.Request, form: AddForm, command: ClientRequest
    ) -> web.Response:
        assert isinstance(command, Subscribe), "the action says so"
        try:
            seen = await self._trials.trial(caller(request).manager, command, LINES)
        except TrialRefused as refused:
            return await self._refused(request, form, refused.code, refused.detail)
        matches = seen.get("matches", [])
        words = [word for word in form.words if word != "*"]
        return await self._form(
            request,
            form,
            seen=seen,
            keywords=seen_keywords(words, matches),
            runs=marked_text(seen["text"], matches),
        )

    async def _refused(
        self, request: web.Request, form: AddForm, code: Code, detail: str
    ) -> web.Response:
        name, text = field_error(code, detail)
        return await self._form(request, form, code.status, errors={name: text})

    async def _form(
        self, request: web.Request, form: AddForm, status: int = 200, **values: Any
    ) -> web.Response:
        given = {"errors": {}, "seen": None, "keywords": (), "runs": (), **values}
        return await self._views.page(
            request,
            "add",
            status,
            title="Add a page",
            form=form,
            intervals=INTERVALS,
            once=uuid4().hex,
            **given,
        )
