"""The outcomes of requests about subscriptions, which the register decides."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from uuid import uuid4

import structlog

from connectors.access.keys import ApiKey
from connectors.kafka.pending_answers import RegisterAnswer
from connectors.kafka.requests import RequestSender, RequestTimedOut
from connectors.requests.quotas import QuotaExceeded, Quotas
from schemas.codec.signing import secret_of
from schemas.records.channels import canonical_receiver, channel_name
from schemas.records.codes import Code
from schemas.records.credentials import CHANNEL_KIND, NAME, NOT_FOR_PAGES, SealedCredentials
from schemas.records.faults import Fault, Refusal
from schemas.records.log_ids import repeatable, trail
from schemas.records.names import canonical_name
from schemas.records.pages import canonical_document
from schemas.records.requests import ClientRequest, Rename, Rotate, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Receiver

log = structlog.get_logger()

FindCredentials = Callable[[str, str], Awaitable[SealedCredentials | None]]
"""Looks up a manager's credentials by their name."""

RefusalOf = Callable[[ClientRequest, Sequence[Fault]], Refusal | None]
"""Returns the refusal of a request, with all its faults; None if valid.

Already known faults are among the faults of the refusal."""


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """The outcome of a request: its code, and the id of its subscription.

    A conflict has the ``name`` of the existing subscription, too. The page is visited at ``check``
    (epoch ms) if asked for, 0 if not.
    """

    code: Code
    detail: str = ""
    id: str = ""
    name: str = ""
    secret: str | None = None
    faults: tuple[Fault, ...] = ()
    check: int = 0


class ClientRequests:
    """Decides requests about subscriptions: here, or by the register."""

    def __init__(
        self,
        register: RequestSender,
        quotas: Quotas,
        key: bytes,
        credentials: FindCredentials,
        refusal: RefusalOf,
    ) -> None:
        """Send requests with ``register``; ``key`` is the deployment's signing key.

        ``credentials`` finds the credentials in a request; ``refusal`` adds the other faults of a
        request refused here.
        """
        self._register = register
        self._quotas = quotas
        self._key = key
        self._credentials = credentials
        self._refusal = refusal

    async def outcome(
        self,
        key: ApiKey,
        command: ClientRequest,
        idempotency_key: str | None = None,
        unread: Sequence[Fault] = (),
    ) -> RequestOutcome:
        """Decide a request for the manager of a key.

        A request with known faults (``unread``) is refused with all its faults.
        """
        command = replace(command, manager=key.manager)
        if isinstance(command, Subscribe):
            unread = [*unread, *await self._unknown_names(command)]
        if unread and (refused := self._refusal(command, unread)) is not None:
            return RequestOutcome(refused.code, refused.detail, faults=refused.faults)
        request_id = _request_id(idempotency_key, command)
        try:
            fact = await self._answer(key.subscriptions, replace(command, request_id=request_id))
        except QuotaExceeded as error:
            return RequestOutcome(Code.QUOTA, str(error))
        except RequestTimedOut:
            log.warning("no worker answered", url=command.document_url, request_id=request_id)
            return RequestOutcome(Code.NO_ANSWER)
        answer = type(fact).__name__
        log.info("answered", answer=answer, url=fact.url, **trail(fact), **repeatable(fact))
        return self._decided(command, fact)

    def _decided(self, command: ClientRequest, fact: RegisterAnswer) -> RequestOutcome:
        if isinstance(fact, Rejected):
            asked = command.new_name if isinstance(command, Rename) else command.name
            name = canonical_name(asked or "") if fact.subscription else ""
            refused = Code(fact.code), fact.detail, fact.subscription, name
            return RequestOutcome(*refused, faults=fact.faults)
        if not isinstance(fact, Subscribed):
            return RequestOutcome(Code.OK)
        subscription = fact.subscription
        shows_secret = isinstance(command, Subscribe | Rotate)
        secret = secret_of(self._key, subscription) if shows_secret else None
        return RequestOutcome(Code.OK, id=subscription.id, secret=secret, check=fact.check)

    async def _unknown_names(self, command: Subscribe) -> list[Fault]:
        """Return the fault of a request with unknown credentials or an unknown channel."""
        name, channel = command.options.view.credentials, channel_name(command.receiver.client_url)
        unknown = []
        # A name that is not one is refused by the register.
        if NAME.fullmatch(name) and not await self._has(command.manager, name, is_channel=False):
            reason = f"there are no credentials {name!r} (PUT /credentials/{name} stores them)"
            unknown.append(Fault(Code.INVALID_FORMAT, "view.credentials", reason))
        if channel and not await self._has(command.manager, channel, is_channel=True):
            reason = f"there is no channel {channel!r} (PUT /credentials/{channel} stores it)"
            unknown.append(Fault(Code.INVALID_CLIENT_URL, "clientUrl", reason))
        return unknown

    async def _has(self, manager: str, name: str, *, is_channel: bool) -> bool:
        row = await self._credentials(manager, name)
        if row is None:
            return False
        return row.kind == CHANNEL_KIND if is_channel else row.kind not in NOT_FOR_PAGES

    async def _answer(self, quota: int | None, command: ClientRequest) -> RegisterAnswer:
        """Ask the register; a new subscription must be within the quota of the caller's key."""
        if quota is None or not isinstance(command, Subscribe):
            return await self._register.ask(command)
        url, client = canonical_document(command.document_url) or "", command.receiver.client_url
        receiver = command.receiver if client is None else Receiver(canonical_receiver(client))
        held = url, receiver, canonical_name(command.name)  # the register's key
        async with self._quotas.admitted(command.manager, quota, command.request_id or "", held):
            return await self._register.ask(command)


def _request_id(key: str | None, command: ClientRequest) -> str:
    """Derive a request id from an idempotency key, valid for a single target.

    The id includes the manager: another tenant may use the same key. Without a key the id is
    random.
    """
    if key is None:
        return uuid4().hex
    receiver = command.receiver
    who = receiver.client_url, receiver.session, *((command.name,) if command.name else ())
    target = [type(command).__name__, command.manager, command.document_url, *who]
    return sha256(json.dumps([key, *target]).encode()).hexdigest()
