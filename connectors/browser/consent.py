"""Consent banners, which cover a page until a person has decided."""

import re
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Page

TIMEOUT_S = 3.0
DECLINE = (
    "#onetrust-reject-all-handler",
    "#CybotCookiebotDialogBodyButtonDecline",
    "#didomi-notice-disagree-button",
    "[data-testid=uc-deny-all-button]",
    ".cky-btn-reject",
    ".cc-deny",
)
ACCEPT = (
    "#onetrust-accept-btn-handler",
    "#CybotCookiebotDialogBodyLevelButtonLevelOptinAllowAll",
    "#didomi-notice-agree-button",
    "[data-testid=uc-accept-all-button]",
    ".cky-btn-accept",
    ".cc-dismiss",
)
DECLINE_WORDS = re.compile(
    r"^\s*((reject|decline|refuse)( all)?( cookies)?|only necessary|(alle )?ablehnen|nur notwendige"
    r"|(tout )?refuser|rechazar( todo)?|rifiuta( tutto)?)\s*$",
    re.IGNORECASE,
)
ACCEPT_WORDS = re.compile(
    r"^\s*((accept|allow|agree to)( all)?( cookies)?|i agree|got it|(alle )?akzeptieren|zustimmen"
    r"|(tout )?accepter|aceptar( todo)?|accetta( tutto)?)\s*$",
    re.IGNORECASE,
)


async def dismiss_banner(page: "Page") -> None:
    """Decline a consent banner, else accept; wait for a banner for 3 s.

    A page without a banner stays unchanged.
    """
    from playwright.async_api import TimeoutError  # noqa: A004, PLC0415  # see process.py

    ways = (
        page.locator(", ".join(f"{each}:visible" for each in DECLINE)),
        page.get_by_role("button", name=DECLINE_WORDS),
        page.locator(", ".join(f"{each}:visible" for each in ACCEPT)),
        page.get_by_role("button", name=ACCEPT_WORDS),
    )
    limit = TIMEOUT_S * 1000
    with suppress(TimeoutError):
        await reduce(lambda one, other: one.or_(other), ways).first.wait_for(timeout=limit)
        for way in ways:
            if await way.count():
                await way.first.click(timeout=limit)
                return
