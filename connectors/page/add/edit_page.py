"""The page to edit a watch, and to begin another watch with its values."""

from dataclasses import replace
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.languages.texts import gettext
from connectors.page.add.add_form import AddForm, read_form
from connectors.page.add.adding import AddHandlers, preview_query
from connectors.page.add.editing import edited_request, form_of
from connectors.page.asking import accepted, request_id_of
from connectors.page.filters import named_receiver
from connectors.page.rendering import PageRefused
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import SubscriptionReader
from schemas.records.channels import channel_name
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.pages import is_pages
from schemas.records.requests import Rename


class EditHandlers(AddHandlers):
    """The handlers of editing."""

    def __init__(self, subscriptions: SubscriptionReader, *adding: Any) -> None:
        """Load watches from ``subscriptions``; the rest is as for adding."""
        super().__init__(*adding)
        self._subscriptions = subscriptions

    async def form(self, request: web.Request) -> web.Response:
        """Answer with the form of a watch."""
        self._ports.prepare()
        return await self._form(request, form_of((await self._one(request)).subscription))

    async def duplicate(self, request: web.Request) -> web.Response:
        """Answer with the form to add a watch like this, with another name."""
        self._ports.prepare()
        one = await self._one(request)
        name = gettext("%(name)s (copy)", name=(one.called or one.subscription.document_url)[:180])
        return await super()._form(request, replace(form_of(one.subscription), name=name))

    async def save(self, request: web.Request) -> web.Response:
        """Preview the page of the form, or save the edited values."""
        fields = await request.post()
        watch = (await self._one(request)).subscription
        form = replace(read_form(fields), url=watch.document_url)
        if fields.get("do") != "save":
            return await self._preview(request, form, preview_query(form, fields))
        command, unread = edited_request(watch, form)
        unread = (*unread, *self._wordless_faults(form))
        once = request_id_of(fields, {"edit": watch.id, "form": repr(form)})
        found = await self._jobs.outcome(caller(request), command, once, unread)
        if found.code != Code.OK:
            refusal = Refusal(found.code, found.detail, found.faults)
            return await self._refused(request, form, refusal)
        if form.name != watch.name:
            who = watch.document_url, watch.receiver
            await accepted(self._jobs, request, Rename(*who, name=watch.name, new_name=form.name))
        raise web.HTTPSeeOther(f"/watch/{watch.id}?saved=1")

    async def _form(
        self, request: web.Request, form: AddForm, status: int = 200, **values: Any
    ) -> web.Response:
        watch = (await self._one(request)).subscription
        url, session = watch.receiver.client_url, watch.receiver.session
        channel = channel_name(url)
        receiver = (
            gettext("The channel %(channel)s", channel=channel)
            if channel
            else url or named_receiver(session or "")
        )
        edited = {"title": gettext("Edit"), "edited": watch.id, "receiver_name": receiver}
        return await super()._form(request, form, status, **edited, **values)

    async def _one(self, request: web.Request) -> ListedSubscription:
        """Load the watch in an address. Raises PageRefused."""
        one = await self._subscriptions.get(caller(request).manager, request.match_info["id"])
        if one is None or is_pages(one.subscription.url):
            raise PageRefused(404, gettext("There is no such watch of one page."))
        return one
