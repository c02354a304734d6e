"""Watch for words on all pages of a manager, with a tag, or of some hosts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.subscription_texts import pages_name
from connectors.languages.texts import gettext, msgid
from connectors.page.add.add_form import AddForm, field_errors, read_form, wordless_error
from connectors.page.add.adding import AddPorts
from connectors.page.asking import request_id_of
from connectors.page.rendering import Views
from connectors.requests.outcomes import ClientRequests
from schemas.codec.json_requests import readable_subscribe
from schemas.records.codes import Code
from schemas.records.credentials import CHANNEL_KIND
from schemas.records.faults import Refusal
from schemas.records.pages import ALL_PAGES, PAGES, canonical_document, pages_of_tag

WHICH = ("all", "tag", "host")
FIELDS = {"keywords", "webhook", "channel"}
"""Fields with errors found by the register."""
CONFLICT = msgid("This receiver is already notified of these pages; end that watch first.")
WRONG = {
    "tag": msgid("Enter one tag of 1 to 50 characters, without a comma."),
    "host": msgid("Enter a host such as www.example.org, or *.example.org for all below it."),
}


@dataclass(frozen=True, slots=True)
class SeveralForm:
    """The values of the fields; ``rest`` are those shared with the form for a page."""

    which: str
    tag: str
    host: str
    rest: AddForm

    @property
    def document(self) -> str:
        """The pages to watch.

        >>> SeveralForm("tag", "Gods", "", AddForm()).document
        'pages:tag=gods'
        """
        wanted = {"tag": pages_of_tag(self.tag), "host": PAGES + self.host}
        return wanted.get(self.which, ALL_PAGES)

    def body(self) -> dict[str, Any]:
        """Return the form as the body of ``POST /subscribe``."""
        return {
            "documentUrl": self.document,
            **self.rest.receiver,
            "keywords": self.rest.words,
            "ignoreCase": self.rest.ignore_case,
            "enableStemming": self.rest.stemming,
        }


class SeveralHandlers:
    """The handlers of the form for several pages."""

    def __init__(self, jobs: ClientRequests, ports: AddPorts, views: Views) -> None:
        """Subscribe with ``jobs``."""
        self._jobs = jobs
        self._ports = ports
        self._views = views

    async def form(self, request: web.Request) -> web.Response:
        """Answer with the empty form, or with a form for a tag."""
        tag = request.query.get("tag", "")
        return await self._form(request, SeveralForm("tag" if tag else "all", tag, "", AddForm()))

    async def add(self, request: web.Request) -> web.Response:
        """Subscribe as the form says."""
        fields = await request.post()
        form = read_several(fields)
        if errors := self._errors(form):
            return await self._form(request, form, 400, errors)
        command, unread = readable_subscribe(form.body())
        once = request_id_of(fields, form.body())
        found = await self._jobs.outcome(caller(request), command, once, unread)
        if found.code != Code.OK:
            refusal = Refusal(found.code, found.detail, found.faults)
            return await self._refused(request, form, refusal)
        return await self._views.page(
            request,
            "added",
            title=gettext("Watching"),
            form={"url": form.document, "receiver": form.rest.receiver},
            pages=pages_name(canonical_document(form.document) or form.document),
            added=[(form.rest, found)],
        )

    def _errors(self, form: SeveralForm) -> dict[str, str]:
        wordless = self._ports.wordless(form.rest)
        errors = {"keywords": wordless_error(wordless)} if wordless else {}
        if canonical_document(form.document) is None:
            errors[form.which] = gettext(WRONG[form.which])
        return errors

    async def _refused(
        self, request: web.Request, form: SeveralForm, refusal: Refusal
    ) -> web.Response:
        if refusal.code == Code.CONFLICT:
            return await self._form(request, form, refusal.code.status, {"": gettext(CONFLICT)})
        is_channel = form.rest.send == "channel"
        errors: dict[str, str] = {}
        for name, text in field_errors(refusal).items():
            where = "channel" if name == "webhook" and is_channel else name
            errors[where if where in FIELDS else ""] = text
        return await self._form(request, form, refusal.code.status, errors)

    async def _form(
        self,
        request: web.Request,
        form: SeveralForm,
        status: int = 200,
        errors: Mapping[str, str] | None = None,
    ) -> web.Response:
        stored = await self._ports.credentials(caller(request).manager)
        return await self._views.page(
            request,
            "several",
            status,
            title=gettext("Watch for words"),
            several=form,
            form=form.rest,
            channels=[row for row in stored if row.kind == CHANNEL_KIND],
            errors=errors or {},
            once=uuid4().hex,
        )


def read_several(fields: Mapping[str, Any]) -> SeveralForm:
    """Read the fields of a form.

    >>> read_several({"which": "host", "host": " *.example.org "}).document
    'pages:*.example.org'
    """
    which, tag, host = (str(fields.get(name, "")).strip() for name in ("which", "tag", "host"))
    return SeveralForm(which if which in WHICH else "all", tag, host, read_form(fields))
