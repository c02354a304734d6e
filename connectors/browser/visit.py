"""A visit: a page in a fresh context of a browser, through a proxy for this context only."""

import asyncio
import re
import time
from collections.abc import Collection
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from connectors.browser.errors import BrowserEnded
from connectors.browser.guard_proxy import USER, GuardProxy
from connectors.browser.login import BrowserLogin, Cookies, cookies_of, storage_state
from connectors.browser.navigation import AnswerHead, Navigation, Refusal
from connectors.browser.page_pictures import page_picture
from connectors.browser.sending import Sending, locale_of
from connectors.browser.steps import StepTaker
from connectors.browser.waiting import first_line, settle, wait_for
from connectors.http.errors import FetchFailed, failure_reason
from connectors.http.headers import parse_retry_after
from connectors.language_tags import language_code
from schemas.records.answers import PageQuery, Response, status_failure
from schemas.records.rendering import Rendering
from schemas.records.urls import canonical

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Route

BLOCKED = frozenset({"image", "media", "font"})
"""Kinds of files not needed for a text."""
BLOCKED_IN_PICTURES = frozenset({"media"})
VIEWPORT: Any = {"width": 1280, "height": 1024}
CONTENT_TYPE = "text/html; charset=utf-8"
CLOSE_TIMEOUT_S = 5.0
MAX_PAGES = 20
"""The most windows opened by a page; each is closed at once."""


class BrowserVisit:
    """A visit to a URL; ``user_agent`` is the name for its servers by default."""

    def __init__(
        self,
        query: PageQuery,
        proxy: GuardProxy,
        user_agent: str,
        login: BrowserLogin | None = None,
    ) -> None:
        self._url = query.url
        self._statuses = query.statuses
        self._request = query.request
        self._rendering = query.request.rendering or Rendering()
        self._proxy = proxy
        self._user_agent = query.request.user_agent or user_agent
        self._login = login
        headers = login.headers if login is not None and login.credentials.headers else None
        self._sending = Sending(query.url, query.request, headers)
        self._windows = 0
        self.has_left = False

    async def render(self, browser: "Browser", refusal: Refusal, max_body: int) -> Response:
        """Load the page, wait, take the steps, and return the result.

        Raises FetchFailed, and BrowserEnded if the browser did.
        """
        from playwright.async_api import Error  # noqa: PLC0415  # see process.py

        navigation = context = None
        try:
            context = await self._context(browser)
            before = await cookies_of(context) if self._login else ()
            page = await context.new_page()
            context.on("page", self._close)
            navigation = Navigation(await context.new_cdp_session(page), refusal, self._sending)
            await navigation.begin()
            try:
                await page.goto(self._url, wait_until="domcontentloaded", timeout=0)
                steps = await self._prepare(page)
                html = await navigation.html(max_body)
                picture = None
                if self._rendering.screenshot:
                    picture = await page_picture(page, steps.secret_fields())
            finally:
                await self._bring(context, navigation, before)
        except Error as error:
            raise self._failure(browser, navigation, error) from error
        finally:
            if context is not None:
                # Drop all traces of the visit; a browser that cannot is not used again.
                with suppress(Exception):
                    async with asyncio.timeout(CLOSE_TIMEOUT_S):
                        await context.close()
                        self.has_left = True
        url = canonical(navigation.url) or self._url
        return self._response(navigation.answer, url, html, max_body, picture)

    async def _context(self, browser: "Browser") -> "BrowserContext":
        context = await browser.new_context(
            proxy={"server": self._proxy.url, "username": USER, "password": self._proxy.password},
            user_agent=self._user_agent,
            viewport=VIEWPORT,
            service_workers="block",
            accept_downloads=False,
            storage_state=storage_state(self._login) if self._login else None,
            locale=locale_of(self._request.language),
        )
        blocked = BLOCKED_IN_PICTURES if self._rendering.screenshot else BLOCKED
        await context.route("**/*", partial(_without, blocked))
        return context

    async def _bring(
        self, context: "BrowserContext", navigation: Navigation, before: Cookies
    ) -> None:
        """Note the final state of a session, whether the page could be read or not."""
        if self._login is None or self._login.credentials.origin:
            return
        with suppress(Exception):  # then the browser has ended, and the visit with it
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                after = await cookies_of(context)
                self._login.bring(before, after, ())
                local = await navigation.local_storage()
                self._login.bring(before, after, local)

    async def _prepare(self, page: "Page") -> StepTaker:
        rendering = self._rendering
        steps = StepTaker(page, self._login)
        await steps.take(rendering.steps)
        if rendering.wait_for is not None:
            await wait_for(page, rendering.wait_for)
        else:
            await settle(page)
        return steps

    async def _close(self, window: "Page") -> None:
        self._windows += 1
        if self._windows > MAX_PAGES:
            self._proxy.exceed(f"more than {MAX_PAGES} windows")
        await window.close()

    def _failure(
        self, browser: "Browser", navigation: Navigation | None, error: Exception
    ) -> Exception:
        """Return why a page was not rendered."""
        if not browser.is_connected():
            return BrowserEnded(first_line(error))
        if navigation is not None and isinstance(navigation.failure, Exception):
            return navigation.failure
        if navigation is not None and navigation.failure is not None:
            return FetchFailed(navigation.failure)
        parts = urlsplit(navigation.url if navigation else self._url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        cause = self._proxy.errors.get((parts.hostname or "", port))
        if cause is not None:
            failure = FetchFailed(failure_reason(cause))
            failure.__cause__ = cause
            return failure
        return FetchFailed(_words(error))

    def _response(
        self,
        answer: AnswerHead | None,
        url: str,
        html: str | int,
        max_body: int,
        picture: bytes | None,
    ) -> Response:
        if answer is None:
            raise FetchFailed("the page has no address that a server answers")
        body = b"" if isinstance(html, int) else html.encode("utf-8", "replace")
        if isinstance(html, int) or len(body) > max_body:
            raise FetchFailed(f"larger than {max_body} bytes")
        has_content = status_failure(answer.status, self._statuses) is None
        return Response(
            status=answer.status,
            body=body if has_content else b"",
            content_type=CONTENT_TYPE,
            url=url,
            retry_after=parse_retry_after(answer.headers.get("retry-after"), time.time()),
            picture=picture if has_content else None,
            language=language_code(answer.headers.get("content-language", "")),
        )


async def _without(blocked: Collection[str], route: "Route") -> None:
    if route.request.resource_type in blocked:
        await route.abort()
    else:
        await route.continue_()


def _words(error: Exception) -> str:
    text = first_line(error)
    code = re.search(r"net::(ERR_\w+)", text)
    if "crashed" in text:
        return "the page crashed, perhaps because it needs too much memory"
    if "Download is starting" in text:
        return "not a page: a browser saves it as a file"
    return f"the browser could not load it ({code[1]})" if code else f"not rendered: {text}"
