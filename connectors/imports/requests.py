"""Requests of another tool's watch: URL, headers, method, body, proxy."""

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from connectors.imports.draft import Draft, shown, texts
from schemas.records.urls import canonical, without_userinfo

TEMPLATE = re.compile(r"\{[{%]")
"""Placeholders of changedetection.io."""
_SECRET = re.compile(r"auth|cookie|token|secret|key|session|passw|credential", re.IGNORECASE)
_OUR_OWN = re.compile(
    r"host|content-(?!type$).*|accept-encoding|(proxy-)?connection|keep-alive|te|trailer|transfer-encoding"
    r"|upgrade|expect|if-.*",
    re.IGNORECASE,
)
SECRET_DATA = re.compile(r"passw|secret|token|api.?key", re.IGNORECASE)
"""Names of secrets in a body or a field, which no subscription may have."""
_OWN_FIELDS = {"user-agent": "userAgent", "accept-language": "language"}


def take_url(draft: Draft, url: Any) -> str | None:
    """Return a URL to watch, without its name and password."""
    given = str(url or "").strip()
    text = without_userinfo(given)
    if TEMPLATE.search(text):
        draft.leave("url", "a template is no URL; subscribe to each page that it stands for")
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"}:
        draft.leave("url", f"{shown(text)} is no http or https URL")
        return None
    if text != given:
        leave_secret(draft, "the name and password in url", "--for ORIGIN --basic USER")
    if canonical(text) is None:
        draft.leave("url", f"{shown(text)} is no URL that Vokter can fetch")
        return None
    return text


def with_parameters(url: str, params: Any) -> str:
    """Return a URL with more parameters.

    Example:
        >>> with_parameters("https://example.org/?a=1", {"lang": "en"})
        'https://example.org/?a=1&lang=en'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode(parse_qsl(parts.query) + _pairs(params))))


def form_of(data: Any) -> str:
    """Return the data of a form as a body.

    Example:
        >>> form_of({"q": "argus panoptes"})
        'q=argus+panoptes'
    """
    return data if isinstance(data, str) else urlencode(_pairs(data))


def take_headers(draft: Draft, headers: Any) -> None:
    """Take headers into the view, except for secrets."""
    if not isinstance(headers, dict):
        return
    named = {str(name).lower(): (name, value) for name, value in headers.items()}
    for name, value in named.values():
        field, what = _OWN_FIELDS.get(str(name).lower()), f"the header {shown(name)}"
        if _SECRET.search(str(name)):
            leave_secret(draft, what, "--for ORIGIN --header-file FILE")
        elif _OUR_OWN.fullmatch(str(name)):
            draft.leave(what, "Vokter sets it itself")
        elif field is not None:
            draft.view(what, field, str(value))
        else:
            draft.view(what, "headers", {str(name): str(value)})


def take_method(draft: Draft, method: Any, default: str = "GET") -> None:
    """Take an unusual method, unless a browser gets the page."""
    chosen = str(method or default).upper()
    if chosen != "GET" and draft.view_fields.get("render"):
        draft.leave("method", "a browser gets pages; view.steps can send a form")
    elif chosen != "GET":
        draft.view("method", "method", chosen)


def take_body(draft: Draft, what: str, body: str) -> None:
    """Take a body without apparent secrets."""
    if draft.view_fields.get("method") != "POST":
        draft.leave(what, "only a POST has a body")
    elif SECRET_DATA.search(body):
        draft.leave(what, "it seems to have a secret in it, and that would be shown with the watch")
    else:
        draft.view(what, "body", body)


def leave_secret(draft: Draft, what: str, option: str) -> None:
    """Name the way to set a secret, which is no part of a subscription."""
    how = f"store it with 'vokter credentials set NAME {option}' and name it in view.credentials"
    draft.leave(what, f"a secret is not imported; {how}")


def leave_proxy(draft: Draft, name: str, value: Any) -> None:
    """Say how a proxy is chosen; its URL may have a password."""
    if texts(value):
        draft.leave(
            name, "proxies belong to the deployment; name one of VOKTER_PROXIES in view.proxy"
        )


def _pairs(data: Any) -> list[tuple[str, str]]:
    if isinstance(data, str):
        return parse_qsl(data)
    pairs = data.items() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [
        (str(each[0]), str(each[1]))
        for each in pairs
        if isinstance(each, list | tuple) and len(each) == 2
    ]
