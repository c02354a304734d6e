"""Calls of the REST API on somebody's behalf, with the caller's key: its role and limits hold."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

import aiohttp

from connectors.serving import BASE

TIMEOUT_S = 120.0
"""The page of a trial is fetched meanwhile, and may have to be rendered."""


class RefusedCall(Exception):
    """The API has refused a call, or does not answer; the text names the reason, and the remedy."""


class RestCalls:
    """The API at an address, for a caller."""

    def __init__(self, http: aiohttp.ClientSession, api: str, authorization: str | None) -> None:
        """``api`` is the root of its URLs; ``authorization`` the header of this name, if any."""
        self._http = http
        self._base = api.rstrip("/") + BASE
        self._headers = {"Authorization": authorization} if authorization else {}

    async def get(self, path: str, **query: object) -> Any:
        """Return the answer of a path; parameters with None are left out."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        return await self._call("GET", path, given, None)

    async def post(self, path: str, body: Mapping[str, Any], **query: object) -> Any:
        """Send a request; fields with None are left out."""
        given = {name: str(value) for name, value in query.items() if value is not None}
        fields = {name: value for name, value in body.items() if value is not None}
        return await self._call("POST", path, given, fields)

    @asynccontextmanager
    async def events(self) -> AsyncIterator[AsyncIterator[str]]:
        """Open the API's stream, and yield the data of its events until the end."""
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=TIMEOUT_S)
        async with self._http.get(
            f"{self._base}/events", headers=self._headers, timeout=timeout
        ) as response:
            if response.status >= 400:
                raise RefusedCall(_reason(await response.json(content_type=None)))
            yield _data(response)

    async def _call(
        self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> Any:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        try:
            async with self._http.request(
                method,
                f"{self._base}/{path}",
                params=query,
                json=body,
                headers=self._headers,
                timeout=timeout,
            ) as response:
                answer = await response.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            raise RefusedCall(
                f"Vokter does not answer ({str(error) or type(error).__name__})."
            ) from error
        if response.status >= 400:
            raise RefusedCall(_reason(answer))
        return answer


async def _data(response: aiohttp.ClientResponse) -> AsyncIterator[str]:
    with suppress(aiohttp.ClientError):  # the API has ended
        async for line in response.content:
            if line.startswith(b"data:"):
                yield line[5:].decode("utf-8", "replace").strip()


def segment(text: str) -> str:
    """Return a part of a path, in which nothing leads elsewhere."""
    return quote(text, safe="")


def _reason(answer: Any) -> str:
    """Return why a call was refused, with each wrong field.

    >>> _reason({"code": "6", "message": "Wrong.", "errors": [{"field": "url", "reason": "no"}]})
    'Wrong. url: no'
    """
    if not isinstance(answer, dict):
        return "The API refused the call."
    errors = [f"{each.get('field')}: {each.get('reason')}" for each in answer.get("errors", ())]
    detail = "; ".join(errors) or answer.get("detail", "")
    return f"{answer.get('message', 'Refused.')} {detail}".strip()
