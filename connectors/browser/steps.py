"""The steps on a page before its reading."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from connectors.browser.consent import dismiss_banner
from connectors.browser.login import BrowserLogin
from connectors.browser.waiting import first_line, wait_for
from connectors.credentials.errors import CredentialsUnusable
from connectors.http.errors import FetchFailed
from schemas.records.rendering import Step
from schemas.records.urls import canonical

if TYPE_CHECKING:
    from playwright.async_api import Locator, Page

STEP_TIMEOUT_S = 10.0
MAX_SCREENSHOT = 2_000_000


class StepFailed(FetchFailed):
    """A step could not be done; ``screenshot`` is a PNG of this moment, if any."""

    def __init__(self, reason: str, screenshot: bytes | None) -> None:
        super().__init__(reason)
        self.screenshot = screenshot


class StepTaker:
    """Does a person's steps on a page; ``login`` has the secrets for steps."""

    def __init__(self, page: "Page", login: BrowserLogin | None) -> None:
        self._page = page
        self._login = login
        self._written: list[str] = []

    async def take(self, steps: Sequence[Step]) -> None:
        """Do all steps in their order; raises StepFailed with the number of the failed step."""
        # See process.py for the import.
        from playwright.async_api import Error, TimeoutError  # noqa: A004, PLC0415

        for number, step in enumerate(steps, 1):
            try:
                await self._take(step)
            except TimeoutError as error:
                reason = await _why_not(self._page, step)
                raise await self._failed(number, step, reason) from self._shown(error)
            except Error as error:
                reason = first_line(error)
                raise await self._failed(number, step, reason) from self._shown(error)
            except (FetchFailed, CredentialsUnusable) as error:
                raise await self._failed(number, step, str(error)) from error

    def secret_fields(self) -> "list[Locator]":
        """Return the fields filled with secrets, which no picture shows."""
        return [self._page.locator(selector) for selector in self._written]

    def _shown(self, error: Exception) -> Exception | None:
        """Return an error of the library, which may quote the written value."""
        return None if self._written else error

    async def _failed(self, number: int, step: Step, reason: str) -> StepFailed:
        picture = await screenshot(self._page, self.secret_fields())
        kinds = {
            "goto": step.goto,
            "click": step.click,
            "fill": step.fill,  # not its value, which may be secret
            "press": step.press,
            "scroll": step.scroll,
        }
        kind, target = next(
            ((kind, target) for kind, target in kinds.items() if target is not None),
            ("wait" if step.wait else "dismiss", None),
        )
        what = f'{kind} "{target}"' if target is not None else kind
        return StepFailed(f"step {number} ({what}): {reason}", picture)

    async def _take(self, step: Step) -> None:
        page, limit = self._page, STEP_TIMEOUT_S * 1000
        if step.goto is not None:
            await page.goto(step.goto, wait_until="domcontentloaded", timeout=limit)
        elif step.click is not None:
            await page.locator(step.click).first.click(timeout=limit)
            # What the click leads to has begun, and is waited for.
            await page.wait_for_load_state("domcontentloaded", timeout=limit)
        elif step.fill is not None:
            await self._fill(step.fill, step)
        elif step.press is not None:
            await page.keyboard.press(step.press)
            await page.wait_for_load_state("domcontentloaded", timeout=limit)
        elif step.wait is not None:
            await wait_for(page, step.wait)
        elif step.scroll is not None:
            await _scroll(page, step.scroll)
        elif step.dismiss:
            await dismiss_banner(page)

    async def _fill(self, selector: str, step: Step) -> None:
        limit = STEP_TIMEOUT_S * 1000
        # Of one document: if the page goes elsewhere now, nothing is written there.
        field = await self._page.locator(selector).first.element_handle(timeout=limit)
        value = step.value
        if step.secret:
            # A selector may lead into a frame, which may be another site's.
            frame = await field.owner_frame()
            url = canonical(frame.url if frame else "")
            if self._login is None or url is None:
                raise CredentialsUnusable(f"there is no secret {step.secret} for this page")
            value = self._login.secret(step.secret, url)
            self._written.append(selector)
        await field.fill(value, timeout=limit)


async def screenshot(page: "Page", masked: "Sequence[Locator]") -> bytes | None:
    """Return a PNG of the visible page; None if impossible, or too large.

    The content of ``masked`` elements is left out.
    """
    from playwright.async_api import Error  # noqa: PLC0415  # see process.py

    limit = STEP_TIMEOUT_S * 1000
    with suppress(Error):
        png = await page.screenshot(timeout=limit, animations="disabled", mask=masked)
        return png if len(png) <= MAX_SCREENSHOT else None
    return None


async def _scroll(page: "Page", to: str) -> None:
    if to in {"bottom", "top"}:
        await page.keyboard.press("End" if to == "bottom" else "Home")
    else:
        target = page.locator(to).first
        await target.scroll_into_view_if_needed(timeout=STEP_TIMEOUT_S * 1000)


async def _why_not(page: "Page", step: Step) -> str:
    from playwright.async_api import Error  # noqa: PLC0415  # see process.py

    selector = step.click or step.fill or (step.scroll or "")
    with suppress(Error):
        if selector and await page.locator(selector).count():
            return f"it is there, but hidden, covered or disabled after {STEP_TIMEOUT_S:g} s"
    if selector:
        return f"nothing matches after {STEP_TIMEOUT_S:g} s"
    return f"not done after {STEP_TIMEOUT_S:g} s"
