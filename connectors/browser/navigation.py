"""The main document of a visit: which servers it was asked of, and what they answered."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from schemas.urls import canonical

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

Refusal = Callable[[str], Awaitable[str | None]]
"""Returns why a canonical URL must not be visited, None if it may."""

PATTERNS = [{"resourceType": "Document", "requestStage": at} for at in ("Request", "Response")]


@dataclass(frozen=True, slots=True)
class Answer:
    """The head of a server's answer; names of headers are in lower case."""

    status: int
    headers: dict[str, str]


class Navigation:
    """Sees each request for the main document, redirects included, before it is sent.

    ``url`` is the last one, ``answer`` the last answer that was no redirect, ``failure`` why
    one was not sent.
    """

    def __init__(self, session: "CDPSession", refusal: Refusal) -> None:
        """Refuse the URLs for which ``refusal`` has a reason."""
        self._session = session
        self._refusal = refusal
        self._frame = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""
        self.answer: Answer | None = None
        self.failure: Exception | str | None = None

    async def begin(self) -> None:
        """Watch the page from now on."""
        tree = await self._session.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        self._session.on("Fetch.requestPaused", self._paused)
        await self._session.send("Fetch.enable", {"patterns": PATTERNS})

    async def html(self, max_length: int) -> str | int:
        """Return the document as HTML, or its length if that is more than ``max_length``.

        The page's scripts have no part in it: they cannot change what is called here.
        """
        made = await self._session.send("Page.createIsolatedWorld", {"frameId": self._frame})
        found = await self._session.send(
            "Runtime.evaluate",
            {
                "contextId": made["executionContextId"],
                "expression": f"({_SERIALIZED})({max_length})",
                "returnByValue": True,
            },
        )
        value: str | int = found["result"].get("value", "")
        return value

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.create_task(self._decide(event))
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the page or the browser has ended meanwhile

    async def _decide(self, event: dict[str, Any]) -> None:
        send, request = self._session.send, {"requestId": event["requestId"]}
        if event["frameId"] == self._frame and not await self._is_allowed(event):
            await send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})
        else:
            await send("Fetch.continueRequest", request)

    async def _is_allowed(self, event: dict[str, Any]) -> bool:
        status = event.get("responseStatusCode")
        if status is not None:
            if status not in {301, 302, 303, 307, 308}:
                headers = {h["name"].lower(): h["value"] for h in event.get("responseHeaders", ())}
                self.answer = Answer(status, headers)
            return True
        if "responseErrorReason" in event:
            return True
        self.url = url = event["request"]["url"]
        try:
            wanted = canonical(url)
            self.failure = "redirected to an invalid URL"
            if wanted is not None:
                self.failure = await self._refusal(wanted)
        except Exception as error:  # noqa: BLE001  # raised where the visit is awaited
            self.failure = error
        return self.failure is None


_SERIALIZED = """max => {
  const root = document.documentElement;
  const html = (document.doctype ? "<!DOCTYPE html>" : "") + (root ? root.outerHTML : "");
  return html.length > max ? html.length : html;
}"""
