"""Pages from templates: everything is escaped, and nothing but our own files is loaded."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any, TypeVar

from aiohttp import web
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from markupsafe import escape as escape_html

from connectors.languages import texts
from connectors.languages.texts import LANGUAGES, Language, current_language, gettext, msgid
from connectors.serving.sending import SENDER

T = TypeVar("T")

LATER_PAGE = msgid("This address of a later page is not complete. Begin with the first page.")
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no referrer at all, browsers would not say which site a form comes from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_TITLES = {
    400: msgid("That did not work"),
    401: msgid("Signed out"),
    403: msgid("Refused"),
    404: msgid("Not found"),
    410: msgid("No longer valid"),
    409: msgid("That is there already"),
    415: msgid("That did not work"),
    405: msgid("Not possible"),
    408: msgid("Too slow"),
    429: msgid("Too many requests"),
    500: msgid("That failed"),
    503: msgid("Not available"),
}

POLICY = "default-src 'none'; style-src 'self'"
"""The frame of a copy has the policy of the surrounding page, and this policy, too."""
_WEB = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)
_PART = re.compile(r"[?&][^/?&]*/?|[^/?&]+/?|/")
_SCHEME = re.compile(r"https?://", re.IGNORECASE)

_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
_YEAR_S = 31_536_000
MAX_TEXTS = 8_192
"""The most texts of templates remembered as HTML, of all languages."""


class StaticFiles:
    """Serves the files at addresses by their content."""

    def __init__(self) -> None:
        """Load the files."""
        folder = files("connectors.page").joinpath("static")
        self._files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
        self._tags = {name: sha256(body).hexdigest()[:12] for name, body in self._files.items()}

    def address(self, name: str) -> str:
        """Return the path of a file, with a tag of its content."""
        return f"/static/{name}?{self._tags[name]}"

    async def serve(self, request: web.Request) -> web.Response:
        """Answer with a file."""
        name = request.match_info["name"]
        if name not in self._files:
            raise web.HTTPNotFound
        tag = self._tags[name]
        age = f"public, max-age={_YEAR_S}, immutable" if request.query_string == tag else "no-cache"
        headers = {**HEADERS, "Cache-Control": age}
        kind = _TYPES[name.rpartition(".")[2]]
        return web.Response(
            body=self._files[name], headers=headers, content_type=kind, charset="utf-8"
        )


class PageRefused(Exception):
    """A refused request, answered with a page about the reason; ``wait`` is in seconds."""

    def __init__(self, status: int, reason: str, wait: float = 0.0) -> None:
        """``status`` is HTTP's."""
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.wait = wait


async def listed(found: Awaitable[T], reason: str) -> T:
    """Await a part of a list; raise PageRefused if the address of its begin is invalid.

    The ``reason`` is translated here.
    """
    try:
        return await found
    except ValueError:
        raise PageRefused(400, gettext(reason)) from None


class Views:
    """Renders templates, in the threads in which the API renders."""

    def __init__(
        self,
        common: Callable[[web.Request], dict[str, Any]],
        failing: Callable[[web.Request], Awaitable[int]],
        **filters: Any,
    ) -> None:
        """``common`` returns the values of all templates; ``filters`` are called from them.

        ``failing`` counts the failing receivers of a visitor.
        """
        self._common = common
        self._failing = failing
        self._environment = Environment(
            loader=PackageLoader("connectors.page"),
            autoescape=True,
            undefined=StrictUndefined,
            auto_reload=False,  # each include would ask for the time of its file
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n"],
        )
        self._environment.filters.update(filters)
        self._environment.globals.update(_TEXTS)

    async def page(
        self, request: web.Request, name: str, status: int = 200, **values: Any
    ) -> web.Response:
        """Return a page, or 304 if the browser has the same already."""
        body = (await self.text(request, name, **values)).encode("utf-8", "replace")
        tag = sha256(body).hexdigest()[:32]
        headers = {**HEADERS, "Cache-Control": "no-store", "ETag": f'"{tag}"'}
        if status == 200 and any(tag == known.value for known in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
        return web.Response(
            body=body, status=status, headers=headers, content_type="text/html", charset="utf-8"
        )

    async def text(self, request: web.Request, name: str, **values: Any) -> str:
        """Render a template, or a piece of a page."""
        template = self._environment.get_template(f"{name}.html")
        if "failing" not in values:
            values["failing"] = await self._failing(request)
        common = {"language": current_language(), "languages": LANGUAGES.values()}
        common["asked_path"] = request.path_qs if request.method == "GET" else "/"
        render = partial(template.render, {**common, **self._common(request), **values})
        text: str = await request.app[SENDER].render(render)
        return text

    async def refusal(
        self, request: web.Request, status: int, reason: str, wait: float = 0.0
    ) -> web.Response:
        """Return a page about a refusal; the browser asks again after ``wait`` s."""
        title = gettext(_TITLES.get(status, _TITLES[400]))
        # The store may be why: nothing is asked of it.
        values = {"title": title, "reason": reason, "failing": 0}
        response = await self.page(request, "refusal", status, **values)
        if wait:
            response.headers["Retry-After"] = again = str(int(wait) + 1)
            if request.method == "GET":
                response.headers["Refresh"] = again
        return response


def _text(text: str, /, **values: object) -> Markup:
    """Return a text for a template; the text is HTML, and its values are escaped."""
    if not values:
        return _plain(text, current_language())
    return Markup(gettext(text) % _escaped(values))  # noqa: S704  # the catalogues are ours


@lru_cache(MAX_TEXTS)
def _plain(text: str, language: Language) -> Markup:
    return Markup(language.texts.gettext(text))  # noqa: S704


def _counted(one: str, many: str, number: int, /, **values: object) -> Markup:
    language = current_language()
    found = language.texts.ngettext(one, many, number)
    given = {"num": texts.written_number(number, language), **values}
    return Markup(found % _escaped(given))  # noqa: S704


def _escaped(values: Mapping[str, object]) -> dict[str, Markup]:
    return {name: escape_html(value) for name, value in values.items()}


def _noted(context: str, text: str) -> Markup:
    """Return a text with another translation by context."""
    return Markup(texts.pgettext(context, text))  # noqa: S704


# Blocks of ``trans`` escape and put in the values by themselves.
_TEXTS = {"_": _text, "ngettext": _counted, "pgettext": _noted, "gettext": gettext}


def web_link(url: str) -> str | None:
    """Return an address fit for a link, None for any but http and https.

    >>> web_link("https://example.org/"), web_link("javascript:alert(1)")
    ('https://example.org/', None)
    """
    return url if _WEB.fullmatch(url) else None


def url_parts(url: str) -> list[str]:
    """Return an address in parts for line breaks, without the parts nobody reads.

    >>> url_parts("https://example.org/giants?a=b")
    ['example.org/', 'giants', '?a=b']
    """
    return _PART.findall(_SCHEME.sub("", url).removesuffix("/"))


def framed(copy: str, *, language: str, style: str) -> str:
    """Return the document of a frame with a page's copy, which is safe HTML.

    >>> framed("<p>Zeus</p>", language="en", style="/copy.css").count("<p>")
    1
    """
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><title>Copy</title>'
        f'<link rel="stylesheet" href="{escape(style)}"><body>{copy}</body></html>'
    )
