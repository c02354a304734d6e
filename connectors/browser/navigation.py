"""The main document of a visit: its servers, and their answers."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from connectors.browser.login import LOCAL_ITEMS, MAX_LOCAL, local_items
from connectors.browser.sending import Sending
from schemas.records.credentials import LocalItem
from schemas.records.urls import canonical

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

Refusal = Callable[[str], Awaitable[str | None]]
"""Returns why a canonical URL must not be visited, None if allowed."""

PATTERNS = [{"resourceType": "Document", "requestStage": at} for at in ("Request", "Response")]
ALL = {"urlPattern": "*", "requestStage": "Request"}


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """The head of a server's answer; names of headers are in lower case."""

    status: int
    headers: dict[str, str]


class Navigation:
    """Sees each request for the main document, redirects included, before the sending.

    ``url`` is the last URL, ``answer`` the last answer other than a redirect, ``failure`` the
    reason of a refused request.
    """

    def __init__(self, session: "CDPSession", refusal: Refusal, sending: Sending) -> None:
        """Refuse the URLs for which ``refusal`` has a reason; ``sending`` decides on headers."""
        self._session = session
        self._refusal = refusal
        self._sending = sending
        self._frame = ""
        self._page = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""
        self.answer: AnswerHead | None = None
        self.failure: Exception | str | None = None

    async def begin(self) -> None:
        """Watch the page from now on."""
        tree = await self._session.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        self._session.on("Fetch.requestPaused", self._paused)
        self._session.on("Page.frameNavigated", self._navigated)
        await self._session.send("Page.enable")
        patterns = [*PATTERNS, ALL] if self._sending.concerns_all else PATTERNS
        await self._session.send("Fetch.enable", {"patterns": patterns})

    async def html(self, max_length: int) -> str | int:
        """Return the document as HTML, or its length if longer than ``max_length``.

        The page's scripts have no part in this: they cannot replace the functions called here.
        """
        value: str | int = await self._call(_SERIALIZED, max_length) or ""
        return value

    async def local_storage(self) -> tuple[LocalItem, ...]:
        """Return the site's local storage in the browser, up to 64 KB."""
        return local_items(await self._call(LOCAL_ITEMS, MAX_LOCAL))

    async def _call(self, function: str, argument: int) -> Any:
        made = await self._session.send("Page.createIsolatedWorld", {"frameId": self._frame})
        found = await self._session.send(
            "Runtime.evaluate",
            {
                "contextId": made["executionContextId"],
                "expression": f"({function})({argument})",
                "returnByValue": True,
            },
        )
        return found["result"].get("value")

    def _navigated(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._frame:
            self._page = event["frame"]["url"]

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
        is_document = event["resourceType"] == "Document"
        is_main = event["frameId"] == self._frame
        if is_main and is_document and not await self._is_allowed(event):
            await send("Fetch.failRequest", {**request, "errorReason": "BlockedByClient"})
            return
        if "responseStatusCode" not in event and "responseErrorReason" not in event:
            headers = self._sending.headers(
                event["request"], self._page, is_document=is_document, is_main=is_main
            )
            request |= {} if headers is None else {"headers": headers}
        await send("Fetch.continueRequest", request)

    async def _is_allowed(self, event: dict[str, Any]) -> bool:
        status = event.get("responseStatusCode")
        if status is not None:
            if status not in {301, 302, 303, 307, 308}:
                headers = {h["name"].lower(): h["value"] for h in event.get("responseHeaders", ())}
                self.answer = AnswerHead(status, headers)
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
