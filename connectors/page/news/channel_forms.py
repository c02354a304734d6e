"""One's channels: set one, send it a test message, remove it."""

from dataclasses import dataclass
from urllib.parse import urlencode

import structlog
from aiohttp import web

from connectors.access.callers import caller
from connectors.access.rates import CallRates
from connectors.channels.channel import Channel, channel_of, parse_channel
from connectors.channels.digest_option import OFF
from connectors.channels.sender import NOT_NOW, RETRY_AFTER_S, ChannelSender
from connectors.credentials.errors import (
    CredentialsUnusable,
    InvalidCredentials,
    TooManyCredentials,
)
from connectors.credentials.input_formats import checked_name
from connectors.credentials.vault import Vault
from connectors.page.rendering import PageRefused, Views
from connectors.stores.ports import CredentialsStore
from schemas.records.channels import DEFAULT_HOUR, WEEKDAYS
from schemas.records.credentials import CHANNEL_KIND, SealedCredentials
from schemas.records.timezones import timezones

log = structlog.get_logger()

EMPTY_FORM = {
    "name": "",
    "address": "",
    "title": "",
    "body": "",
    "digest": OFF,
    "hour": str(DEFAULT_HOUR),
    "timezone": "UTC",
    "weekday": WEEKDAYS[0],
}
"""The form of a channel."""
TESTS_PER_MINUTE = 20
"""Test messages of a manager: their addresses may be anybody's, and nobody has to answer."""
_OF_CHANNEL = "channel: "


@dataclass(frozen=True, slots=True)
class ChannelPorts:
    """The store of channels, and the function that sends to them."""

    store: CredentialsStore
    vault: Vault
    sender: ChannelSender

    async def of_manager(self, manager: str) -> list[SealedCredentials]:
        """List a manager's channels by name, without their addresses."""
        return [row for row in await self.store.all_of(manager) if row.kind == CHANNEL_KIND]


class ChannelHandlers:
    """The handlers of channels."""

    def __init__(self, ports: ChannelPorts, tests: CallRates, views: Views) -> None:
        """Read and store by ``ports``; ``tests`` counts test messages by manager."""
        self._ports = ports
        self._tests = tests
        self._views = views

    async def channels(self, request: web.Request) -> web.Response:
        """Answer with the channels of the caller, and a form: empty, or to ``change`` one."""
        name = request.query.get("change", "")
        known = await self._known(caller(request).manager, name) if name else None
        form = EMPTY_FORM if known is None else _form_of(name, known)
        return await self._page(request, 200, form, {})

    async def put(self, request: web.Request) -> web.Response:
        """Store the channel of the form, in place of that of the same name.

        Without an address it keeps that which it had.
        """
        fields, manager = await request.post(), caller(request).manager
        form = {name: str(fields.get(name, empty)).strip() for name, empty in EMPTY_FORM.items()}
        try:
            name = await self._free_name(manager, form["name"])
            if not form["address"] and (known := await self._known(manager, name)) is not None:
                form["address"] = known.address
            given = parse_channel(_given(form)).credentials
            await self._ports.sender.check(manager, given)
            await self._ports.vault.put(manager, name, given)
        except InvalidCredentials as error:
            return await self._page(request, 400, form, field_fault(str(error)))
        except (TooManyCredentials, CredentialsUnusable) as error:
            return await self._page(request, 400, form, {"": str(error)})
        except OSError as error:
            raise _not_now(error) from error
        raise web.HTTPSeeOther(f"/channels?{urlencode({'set': name})}")

    async def test(self, request: web.Request) -> web.Response:
        """Send a test message, and answer with what became of it."""
        name = await self._named(request)
        wait = self._tests.take(caller(request).manager, TESTS_PER_MINUTE)
        if wait:
            reason = f"No more than {TESTS_PER_MINUTE} test messages a minute are sent for you."
            raise PageRefused(429, reason, wait)
        page = str(request.url.origin())
        try:
            answer = await self._ports.sender.test(caller(request).manager, name, page)
        except OSError as error:
            raise _not_now(error) from error
        found = {"name": name, "reason": "" if answer.delivered else answer.reason}
        return await self._page(request, 200, EMPTY_FORM, {}, found)

    async def remove(self, request: web.Request) -> web.Response:
        """Delete a channel."""
        await self._ports.store.remove(caller(request).manager, await self._named(request))
        raise web.HTTPSeeOther("/channels")

    async def _named(self, request: web.Request) -> str:
        """Return the name of the form's channel, which the caller must have."""
        name = str((await request.post()).get("name", ""))
        if not any(row.name == name for row in await self._mine(request)):
            raise PageRefused(404, "There is no such channel any more.")
        return name

    async def _mine(self, request: web.Request) -> list[SealedCredentials]:
        return await self._ports.of_manager(caller(request).manager)

    async def _free_name(self, manager: str, name: str) -> str:
        """Return a name that is that of a channel or of nothing; raises InvalidCredentials."""
        row = await self._ports.store.get(manager, checked_name(name))
        if row is not None and row.kind != CHANNEL_KIND:
            raise InvalidCredentials("name: credentials for pages have this name")
        return name

    async def _known(self, manager: str, name: str) -> Channel | None:
        """Load a channel; None if there is none that can be read."""
        try:
            return channel_of(await self._ports.vault.open(manager, name))
        except CredentialsUnusable:
            return None

    async def _page(
        self,
        request: web.Request,
        status: int,
        form: dict[str, str],
        errors: dict[str, str],
        tested: dict[str, str] | None = None,
    ) -> web.Response:
        mine, was_set = await self._mine(request), request.query.get("set", "")
        return await self._views.page(
            request,
            "channels",
            status,
            title="Channels",
            # The address is not sent back: it has a password or a token in it.
            form=form | {"address": ""},
            errors=errors,
            changes=any(row.name == form["name"] for row in mine),
            is_new=form == EMPTY_FORM,
            choices={"weekdays": WEEKDAYS, "timezones": timezones()},
            channels=mine,
            was_set=was_set if any(row.name == was_set for row in mine) else "",
            tested=tested,
        )


def _form_of(name: str, channel: Channel) -> dict[str, str]:
    texts = {"name": name, "title": channel.title, "body": channel.body}
    if channel.digest is None:
        return EMPTY_FORM | texts
    digest = channel.digest
    chosen = {"digest": digest.period, "hour": str(digest.hour), "timezone": digest.timezone}
    return EMPTY_FORM | texts | chosen | {"weekday": WEEKDAYS[digest.weekday]}


def _given(form: dict[str, str]) -> dict[str, str]:
    """Return a channel as REST expects it: what is only for digests goes with these."""
    left_out = {"name"}
    if form["digest"] == OFF:
        left_out |= {"hour", "timezone", "weekday"}
    elif form["digest"] == "daily":
        left_out.add("weekday")
    return {name: value for name, value in form.items() if name not in left_out}


def _not_now(error: OSError) -> PageRefused:
    log.warning("a channel was not asked", error=repr(error), once_a_minute="channel")
    return PageRefused(503, NOT_NOW, RETRY_AFTER_S)


def field_fault(text: str) -> dict[str, str]:
    """Return what is wrong by the field that it is about.

    >>> field_fault("channel: body: line 1: unexpected '}'")
    {'body': "Line 1: unexpected '}'"}
    """
    where, _, what = text.removeprefix(_OF_CHANNEL).partition(": ")
    field, what = (
        (where, what) if where in EMPTY_FORM else ("address", text.removeprefix(_OF_CHANNEL))
    )
    return {field: what[:1].upper() + what[1:]}
