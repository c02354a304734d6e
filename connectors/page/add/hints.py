"""Hints about a previewed page: a better part to watch, and how."""

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from connectors.languages.texts import gettext
from connectors.page.add.add_form import AddForm
from schemas.records.previews import CopiedPage, SeenPage

MAX_WAITING, MAX_PRICE = 300, 40
"""Characters of a page still loading, and of a part with only a price."""
_WAITING = re.compile(
    r"loading|please wait|just a moment|enable javascript|requires? javascript|"
    r"javascript (?:is )?(?:required|disabled)|wird geladen|chargement|cargando|caricamento|"
    r"carregando|laden|загрузка|読み込み中|加载中|載入中|로딩",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?:^|[/._-])(?:log-?in|sign-?in|log-?on|sso|auth|authenticate)(?:$|[/._-])")
_CURRENCY = r"(?:[$€£¥₹₽₩₺₴฿₫]|\b(?:[A-Z]{3}|kr|zł|Kč|Ft|lei)\b)"
_PRICE = re.compile(rf"{_CURRENCY}\s?\d[\d.,'\s]*|\d[\d.,'\s]*\s?{_CURRENCY}")


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint; its ``action`` is the name of a field to check, or the URL to watch instead."""

    text: str
    action: str = ""
    label: str = ""


def page_hints(form: AddForm, seen: SeenPage, page: CopiedPage) -> list[Hint]:
    """Return the advice about a page before a person watches the page.

    >>> loading = SeenPage(url="https://a.test/", text="Loading…")
    >>> [hint.label for hint in page_hints(AddForm(url="https://a.test/"), loading, CopiedPage())]
    ['Run them']
    """
    found = []
    if seen.reason:
        return []
    if _names_login(seen.url) and not _names_login(form.url):
        text = gettext("This page leads to a login: what follows is not the page itself.")
        found.append(Hint(text))
    said = seen.text.strip()
    content = said.removeprefix(seen.title).strip()
    is_waiting = len(content) <= MAX_WAITING and (not content or _WAITING.search(content))
    if not form.render and is_waiting:
        found.append(
            Hint(gettext("This page seems to need scripts."), "render", gettext("Run them"))
        )
    if not form.number and (form.part or form.quote) and is_price(said):
        found.append(Hint(gettext("This part is a price."), "number", gettext("Watch this price")))
    if feed := _feed(page.feed, seen.url):
        text = gettext("This page has a feed; it is better to watch.")
        found.append(Hint(text, feed, gettext("Watch the feed")))
    return found


def _feed(address: str, page: str) -> str:
    """Return the URL of a feed linked by a page, empty for none."""
    try:
        url = urljoin(page, address) if address else ""
    except ValueError:
        return ""
    return url if url.startswith(("https://", "http://")) and url != page else ""


def is_price(text: str) -> bool:
    """Return whether a text is a price alone, with its label at most.

    >>> [is_price(text) for text in ("89 EUR", "Now only $1,299.00", "12 lamps")]
    [True, True, False]
    """
    return len(text) <= MAX_PRICE and "\n" not in text and _PRICE.search(text) is not None


def _names_login(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    place = f"{parts.netloc}{parts.path}".lower().replace("_", "-")
    return _LOGIN.search(place) is not None
