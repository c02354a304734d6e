"""Set, test and remove channels."""

from dataclasses import dataclass
from urllib.parse import urlencode

import structlog
from aiohttp import web

from connectors.access.callers import caller
from connectors.access.rates import CallRates
from connectors.channels.channel import FIELDS, Channel, channel_of, parse_channel
from connectors.channels.digest_option import OFF
from connectors.channels.kinds import KINDS, kind_address
from connectors.channels.sender import NOT_NOW, RETRY_AFTER_S, ChannelSender
from connectors.credentials.errors import (
    CredentialsUnusable,
    InvalidCredentials,
    TooManyCredentials,
)
from connectors.credentials.input_formats import checked_name
from connectors.credentials.vault import Vault
from connectors.display.reasons import shown_reason
from connectors.languages.texts import LANGUAGES, current_language, gettext
from connectors.page.rendering import PageRefused, Views
from connectors.stores.ports import CredentialsStore
from schemas.records.channels import DEFAULT_HOUR, WEEKDAYS
from schemas.records.credentials import CHANNEL_KIND, SealedCredentials
from schemas.records.timezones import timezones

log = structlog.get_logger()

EMPTY_FORM = {
    "name": "",
    "kind": "",
    **{field.name: "" for kind in KINDS.values() for field in kind.fields},
    "address": "",
    "title": "",
    "body": "",
    "digest": OFF,
    "hour": str(DEFAULT_HOUR),
    "timezone": "UTC",
    "weekday": WEEKDAYS[0],
    "language": "",
}
"""The form of a channel."""
_SECRETS = {
    "address",
    *(field.name for kind in KINDS.values() for field in kind.fields if field.secret),
}
"""The fields never sent back."""
_SHOWN = ("title", "body", "language")
TESTS_PER_MINUTE = 20
"""Test messages of a manager: their addresses may be anybody's, and nobody has to answer."""
_OF_CHANNEL = "channel: "


@dataclass(frozen=True, slots=True)
class ChannelPorts:
    """The store of channels, and the function to send a message."""

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
        """Answer with the channels of the caller, and a form: empty, or to ``change`` a channel."""
        name = request.query.get("change", "")
        known = await self._known(caller(request).manager, name) if name else None
        form = EMPTY_FORM if known is None else _form_of(name, known)
        return await self._page(request, 200, form, {})

    async def put(self, request: web.Request) -> web.Response:
        """Store the channel of the form, in place of the channel of the same name.

        Without a kind or an address the channel keeps its address. If the form asks for a test, the
        channel is stored only after an accepted message.
        """
        fields, manager = await request.post(), caller(request).manager
        form = {name: str(fields.get(name, empty)).strip() for name, empty in EMPTY_FORM.items()}
        form["language"] = form["language"] or current_language().tag
        try:
            name = await self._free_name(manager, form["name"])
            if form["kind"] in KINDS:
                form["address"] = kind_address(form["kind"], form)
            elif not form["address"] and (known := await self._known(manager, name)) is not None:
                form["address"] = known.address
            channel = parse_channel(_given(form))
            await self._ports.sender.check(manager, channel.credentials)
            if fields.get("do") == "test":
                await self._accepts(request, name, channel)
            await self._ports.vault.put(manager, name, channel.credentials)
        except InvalidCredentials as error:
            return await self._page(request, 400, form, field_fault(str(error)))
        except (TooManyCredentials, CredentialsUnusable) as error:
            return await self._page(request, 400, form, {"": shown_reason(str(error))})
        except OSError as error:
            raise _not_now(error) from error
        done = "tested" if fields.get("do") == "test" else "set"
        raise web.HTTPSeeOther(f"/channels?{urlencode({done: name})}")

    async def _accepts(self, request: web.Request, name: str, channel: Channel) -> None:
        """Send a test message; raises InvalidCredentials if not accepted."""
        self._count_test(request)
        page, manager = str(request.url.origin()), caller(request).manager
        answer = await self._ports.sender.test_channel(manager, name, channel, page)
        if not answer.delivered:
            raise InvalidCredentials(
                _OF_CHANNEL
                + gettext(
                    "the test message was not accepted: %(reason)s. Nothing is stored",
                    reason=shown_reason(answer.reason),
                )
            )

    def _count_test(self, request: web.Request) -> None:
        if wait := self._tests.take(caller(request).manager, TESTS_PER_MINUTE):
            reason = gettext(
                "No more than %(num)s test messages a minute are sent for you.",
                num=TESTS_PER_MINUTE,
            )
            raise PageRefused(429, reason, wait)

    async def test(self, request: web.Request) -> web.Response:
        """Send a test message, and answer with its outcome."""
        name = await self._named(request)
        self._count_test(request)
        page = str(request.url.origin())
        try:
            answer = await self._ports.sender.test(caller(request).manager, name, page)
        except OSError as error:
            raise _not_now(error) from error
        reason = "" if answer.delivered else shown_reason(answer.reason)
        found = {"name": name, "reason": reason, "is_stored": ""}
        return await self._page(request, 200, EMPTY_FORM, {}, found)

    async def remove(self, request: web.Request) -> web.Response:
        """Delete a channel."""
        await self._ports.store.remove(caller(request).manager, await self._named(request))
        raise web.HTTPSeeOther("/channels")

    async def _named(self, request: web.Request) -> str:
        """Return the name of the form's channel, which the caller must have."""
        name = str((await request.post()).get("name", ""))
        if not any(row.name == name for row in await self._mine(request)):
            raise PageRefused(404, gettext("There is no such channel any more."))
        return name

    async def _mine(self, request: web.Request) -> list[SealedCredentials]:
        return await self._ports.of_manager(caller(request).manager)

    async def _free_name(self, manager: str, name: str) -> str:
        """Return a name of a channel or of nothing; raises InvalidCredentials."""
        row = await self._ports.store.get(manager, checked_name(name))
        if row is not None and row.kind != CHANNEL_KIND:
            text = gettext("credentials for pages have this name")
            raise InvalidCredentials(f"name: {text}")
        return name

    async def _known(self, manager: str, name: str) -> Channel | None:
        """Load a channel; None if missing or unreadable."""
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
        mine = await self._mine(request)
        names = {row.name for row in mine}
        known = {each: request.query.get(each, "") for each in ("set", "tested")}
        if tested is None and known["tested"] in names:
            tested = {"name": known["tested"], "reason": "", "is_stored": "yes"}
        return await self._views.page(
            request,
            "channels",
            status,
            title=gettext("Channels"),
            # Passwords and tokens are not sent back.
            form=form | dict.fromkeys(_SECRETS, ""),
            kinds=KINDS,
            errors=errors,
            changes=form["name"] in names,
            is_new=form == EMPTY_FORM,
            choices={
                "weekdays": WEEKDAYS,
                "timezones": timezones(),
                "languages": LANGUAGES,
                "language": form["language"] or current_language().tag,
            },
            channels=mine,
            was_set=known["set"] if known["set"] in names else "",
            tested=tested,
        )


def _form_of(name: str, channel: Channel) -> dict[str, str]:
    known = EMPTY_FORM | {each: getattr(channel, each) for each in _SHOWN} | {"name": name}
    if channel.digest is None:
        return known
    digest = channel.digest
    chosen = {"digest": digest.period, "hour": str(digest.hour), "timezone": digest.timezone}
    return known | chosen | {"weekday": WEEKDAYS[digest.weekday]}


def _given(form: dict[str, str]) -> dict[str, str]:
    """Return a channel in the form of REST: options of digests go with digests."""
    left_out = set(form) - set(FIELDS)
    if form["digest"] == OFF:
        left_out |= {"hour", "timezone", "weekday"}
    elif form["digest"] == "daily":
        left_out.add("weekday")
    return {name: value for name, value in form.items() if name not in left_out}


def _not_now(error: OSError) -> PageRefused:
    log.warning("a channel was not asked", error=repr(error), once_a_minute="channel")
    return PageRefused(503, NOT_NOW, RETRY_AFTER_S)


def field_fault(text: str) -> dict[str, str]:
    """Return the errors by their fields.

    >>> field_fault("channel: body: line 1: unexpected '}'")
    {'body': "Line 1: unexpected '}'"}
    """
    where, _, what = text.removeprefix(_OF_CHANNEL).partition(": ")
    field, what = (
        (where, what) if where in EMPTY_FORM else ("address", text.removeprefix(_OF_CHANNEL))
    )
    what = shown_reason(what)
    return {field: what[:1].upper() + what[1:]}
