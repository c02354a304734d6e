"""The sender of notifications and challenges to webhooks: a request per call."""

import asyncio
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from secrets import token_urlsafe
from socket import gaierror
from typing import Self

from aiohttp import ClientResponse, ClientTimeout
from yarl import URL

from connectors.http.aiohttp_limits import enforce_limits
from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, NO_LOOKUP, failure_reason
from connectors.http.get_client import GetClient
from connectors.http.get_response import GetResponse
from connectors.http.headers import parse_retry_after
from connectors.http.limits import Limits
from connectors.http.self_check import verify_limits
from connectors.http.session import guarded_session, user_agent
from schemas.codec.body import body, digest_body, digest_id
from schemas.codec.signing import signatures
from schemas.records.answers import LookedUp, WebhookResponse
from schemas.records.field_types import MAX_ANSWER_START
from schemas.records.notifications import Notification

TOTAL_TIMEOUT_S = 15.0
KEEPALIVE_S = 2.0
"""Less than any common server's, because a POST cannot simply be repeated."""
MAX_ANSWER = MAX_HEAD = 65_536
ANSWER_TIMEOUT_S = 2.0
"""Seconds to wait for the start of a refusal; after an acceptance none."""


class WebhookSender:
    """An HTTP client for webhooks; an async context manager.

    >>> async with WebhookSender(guard, key) as sender:  # doctest: +SKIP
    ...     response = await sender.post("https://example.org/hook", notification)
    """

    def __init__(
        self,
        guard: EgressGuard,
        key: bytes,
        *,
        contact: str | None = None,
        clock: Callable[[], float] = time.time,
        word: Callable[[], str] = token_urlsafe,
        timeout: float = TOTAL_TIMEOUT_S,
        answer_timeout: float = ANSWER_TIMEOUT_S,
    ) -> None:
        """``key`` is the signing key of the deployment; timeouts are in seconds.

        ``clock`` returns epoch seconds, ``word`` a new random word for each challenge.
        """
        self._guard = guard
        self._key = key
        self._contact = contact
        self._clock = clock
        self._word = word
        self._timeout_s = timeout
        self._answer_timeout = answer_timeout

    async def __aenter__(self) -> Self:
        await verify_limits()
        self._session = guarded_session(
            self._guard,
            ClientTimeout(total=self._timeout_s),
            self._contact,
            keepalive=KEEPALIVE_S,
            # aiohttp buffers twice as much of a response before it makes the receiver wait.
            read_bufsize=MAX_ANSWER // 2,
            auto_decompress=False,
        )
        limits = Limits(connect=self._timeout_s, wire=MAX_HEAD + MAX_ANSWER, head=MAX_HEAD)
        enforce_limits(self._session, limits)
        self._direct = direct_client(self._guard, limits, self._contact)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._direct is not None:
            await self._direct.close()
        await self._session.close()

    async def post(self, client_url: str, notification: Notification) -> WebhookResponse:
        """POST the notification's body once, without following redirects.

        A failure of the network or the receiver is returned, not raised. Raises OSError only
        when this machine has run out of file descriptors or memory.
        """
        return await self._post(client_url, notification, body(notification))

    async def send(
        self, _: str, client_url: str, notifications: Sequence[Notification], _is_digest: bool
    ) -> WebhookResponse:
        """POST notifications of a subscription together; a single notification like ``post``.

        A digest has the id of all of them, and is signed with the secret of the newest.
        """
        if len(notifications) == 1:
            return await self.post(client_url, notifications[0])
        is_truncated = any(each.truncated for each in notifications)
        digest = replace(
            notifications[-1], id=digest_id(notifications), truncated=is_truncated, test=False
        )
        return await self._post(client_url, digest, digest_body(notifications))

    async def _post(
        self, client_url: str, notification: Notification, content: bytes
    ) -> WebhookResponse:
        now = int(self._clock())
        headers = {
            "Content-Type": "application/json",
            "Accept-Encoding": "identity",  # the start of the answer is shown to people
            # Those of https://www.standardwebhooks.com, and our own.
            "webhook-id": notification.id,
            "webhook-timestamp": str(now),
            "webhook-signature": signatures(self._key, notification, now, content),
        }
        if notification.truncated:
            headers["vokter-truncated"] = "true"
        if notification.test:
            headers["vokter-test"] = "true"
        try:
            self._guard.check_url(client_url)
            async with (
                asyncio.timeout(self._timeout_s) as until_head,
                self._request(client_url, headers, content) as response,
            ):
                until_head.reschedule(None)
                return await self._answer(response)
        except NETWORK_ERRORS as error:
            return WebhookResponse(None, failure_reason(error))

    def _request(
        self, client_url: str, headers: dict[str, str], content: bytes
    ) -> AbstractAsyncContextManager[ClientResponse | GetResponse]:
        if self._direct is not None:
            return self._direct.post(client_url, headers, content)
        url = URL(client_url, encoded=True)
        return self._session.post(url, data=content, headers=headers, allow_redirects=False)

    async def look_up(self, client_url: str, made: int) -> LookedUp:
        """Look up an address for the challenge after ``made`` others: each in its turn.

        Raises OSError as ``post`` does.
        """
        url = URL(client_url, encoded=True)
        host, port = url.host or "", url.port or 0
        if self._guard.proxy is not None:
            return LookedUp(host)
        try:
            self._guard.check_url(client_url)
            async with asyncio.timeout(self._timeout_s):
                found = await self._guard.addresses(host, port)
        except gaierror as error:
            return LookedUp("", "host name look-up failed", error.errno in NO_LOOKUP)
        except NETWORK_ERRORS as error:
            return LookedUp("", failure_reason(error), isinstance(error, TimeoutError))
        return LookedUp(found[made % len(found)])

    async def challenge(self, client_url: str, address: str) -> str:
        """GET the client URL with ``challenge=WORD`` in its query; the response must be WORD.

        The request is made to an ``address`` from ``look_up``. Returns why the receiver did not
        confirm, empty after a confirmation. Raises OSError as ``post`` does.
        """
        word = self._word()
        url = URL(f"{client_url}{'&' if '?' in client_url else '?'}challenge={word}", encoded=True)
        try:
            self._guard.check_url(client_url)
            # A second look-up could return another machine than the one that is counted.
            async with self._session.get(
                url if self._guard.proxy is not None else url.with_host(address),
                headers={"Accept-Encoding": "identity", "Host": url.host_port_subcomponent or ""},
                server_hostname=url.host,
                allow_redirects=False,
            ) as response:
                return await _challenge_failure(response, word.encode())
        except NETWORK_ERRORS as error:
            return failure_reason(error).replace(word, "…")  # some reasons contain the URL

    async def _answer(self, response: ClientResponse | GetResponse) -> WebhookResponse:
        answer = WebhookResponse(
            response.status,
            retry_after=parse_retry_after(response.headers.get("Retry-After"), self._clock()),
        )
        if not answer.delivered:
            return _failed(answer, await _start_of(response, self._answer_timeout))
        if response.content.at_eof():
            return answer
        return replace(answer, start=await _start_of(response, 0))  # as far as that has come


async def _start_of(response: ClientResponse | GetResponse, within: float) -> str:
    """Return the beginning of a body, as far as received ``within`` some seconds."""
    start = b""
    with suppress(*NETWORK_ERRORS):
        async with asyncio.timeout(within):
            async for piece in response.content.iter_any():
                start += piece
                if len(start) >= MAX_ANSWER_START:
                    break
    # Without its end, so that a character that was cut in two is left out.
    return getincrementaldecoder("utf-8")("replace").decode(start[:MAX_ANSWER_START])


def direct_client(guard: EgressGuard, limits: Limits, contact: str | None) -> GetClient | None:
    """Return the client for POST, None with a proxy: aiohttp then sends all."""
    if guard.proxy is not None:
        return None
    return GetClient(guard, limits, user_agent(contact), KEEPALIVE_S)


async def _challenge_failure(response: ClientResponse, word: bytes) -> str:
    if not 200 <= response.status < 300:
        return f"answered {response.status} to the challenge"
    body = b""
    while chunk := await response.content.read(MAX_ANSWER + 1 - len(body)):
        body += chunk
    if len(body) > MAX_ANSWER:
        return f"answered more than {MAX_ANSWER} bytes to the challenge"
    return "" if body.strip() == word else "did not answer with the challenge"


def _failed(answer: WebhookResponse, start: str) -> WebhookResponse:
    return replace(answer, reason=f"answered {answer.status}", start=start)
