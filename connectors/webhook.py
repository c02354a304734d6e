"""The sender of notifications and challenges to webhooks: a request per call."""

import asyncio
import time
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from secrets import token_urlsafe
from socket import gaierror
from typing import Self

from aiohttp import BytesPayload, ClientResponse, ClientTimeout
from yarl import URL

from connectors.http.aiohttp_limits import enforce_limits
from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, NO_LOOKUP, failure_reason
from connectors.http.headers import parse_retry_after
from connectors.http.limits import Limits
from connectors.http.self_check import verify_limits
from connectors.http.session import guarded_session
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
        self._timeout = ClientTimeout(total=timeout)
        self._answer_timeout = answer_timeout

    async def __aenter__(self) -> Self:
        await verify_limits()
        self._session = guarded_session(
            self._guard,
            self._timeout,
            self._contact,
            keepalive=KEEPALIVE_S,
            # aiohttp buffers twice as much of a response before it makes the receiver wait.
            read_bufsize=MAX_ANSWER // 2,
            auto_decompress=False,
        )
        enforce_limits(self._session, Limits(wire=MAX_HEAD + MAX_ANSWER, head=MAX_HEAD))
        return self

    async def __aexit__(self, *_: object) -> None:
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
        headers = _headers(notification, int(self._clock()), content, self._key)
        try:
            self._guard.check_url(client_url)
            async with self._session.post(
                _url(client_url), data=BytesPayload(content), headers=headers, allow_redirects=False
            ) as response:
                return await self._answer(response)
        except NETWORK_ERRORS as error:
            return WebhookResponse(None, failure_reason(error))

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
            async with asyncio.timeout(self._timeout.total):
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

    async def _answer(self, response: ClientResponse) -> WebhookResponse:
        answer = WebhookResponse(
            response.status,
            retry_after=parse_retry_after(response.headers.get("Retry-After"), self._clock()),
        )
        if answer.delivered:
            return answer if response.content.at_eof() else replace(answer, start=_come(response))
        return _failed(answer, await _start_of(response, self._answer_timeout))


def _come(response: ClientResponse) -> str:
    """Return the beginning of a body, as far as received."""
    with suppress(*NETWORK_ERRORS):
        return _text(response.content.read_nowait(MAX_ANSWER_START))
    return ""


async def _start_of(response: ClientResponse, within: float) -> str:
    """Return the beginning of a body, as far as received ``within`` some seconds."""
    start = b""
    with suppress(*NETWORK_ERRORS):
        async with asyncio.timeout(within):
            while chunk := await response.content.read(MAX_ANSWER_START - len(start)):
                start += chunk
    return _text(start)


def _text(start: bytes) -> str:
    # Without its end, so that a character that was cut in two is left out.
    return getincrementaldecoder("utf-8")("replace").decode(start)


@lru_cache(maxsize=1024)  # receivers repeat, and a URL keeps what aiohttp asks of it
def _url(client_url: str) -> URL:
    return URL(client_url, encoded=True)


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


def _headers(notification: Notification, now: int, content: bytes, key: bytes) -> dict[str, str]:
    """Return the headers of https://www.standardwebhooks.com, and our own."""
    headers = {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",  # the start of the answer is shown to people
        "webhook-id": notification.id,
        "webhook-timestamp": str(now),
        "webhook-signature": signatures(key, notification, now, content),
    }
    if notification.truncated:
        headers["vokter-truncated"] = "true"
    if notification.test:
        headers["vokter-test"] = "true"
    return headers
