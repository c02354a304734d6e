"""The credentials of a browser for a visit, and the cookies afterwards."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from schemas.records.credentials import Cookie, Credentials, LocalItem, origin

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

Cookies = tuple[Cookie, ...]
MAX_LOCAL = 64 * 1024
"""Characters of a site's local storage to bring back."""
LOCAL_ITEMS = """max => {
  const items = Object.entries(localStorage);
  return items.join().length > max ? null : [location.origin, items];
}"""
"""Run in the world apart from the page's scripts."""


class BrowserLogin(Protocol):
    """The credentials of a visit."""

    credentials: Credentials

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the headers and cookies for the request of a canonical URL."""

    def jar(self) -> Cookies:
        """Return the cookies of the browser at the begin."""

    def may_connect(self, host: str, port: int) -> bool:
        """Return whether the browser may connect to a port of a host."""

    def may_send_plainly(self, host: str) -> bool:
        """Return whether cookies may go to a host without TLS."""

    def secret(self, name: str, page: str) -> str:
        """Return the secret to write into a page at a canonical URL; raises CredentialsUnusable."""

    def bring(self, before: Cookies, after: Cookies, local: tuple[LocalItem, ...]) -> None:
        """Note the browser's state before and after."""


def storage_state(login: BrowserLogin) -> Any:
    """Return the first state of a context, in the form of the browser's library."""
    origins: dict[str, list[dict[str, str]]] = {}
    for item in login.credentials.local:
        origins.setdefault(item.origin, []).append({"name": item.name, "value": item.value})
    return {
        "cookies": [_given(each) for each in login.jar()],
        "origins": [{"origin": each, "localStorage": items} for each, items in origins.items()],
    }


async def cookies_of(context: "BrowserContext") -> Cookies:
    """Return all cookies of a context."""
    return tuple(_taken(each) for each in await context.cookies())


def local_items(found: Any) -> tuple[LocalItem, ...]:
    """Return the items found by ``LOCAL_ITEMS``, nothing if too many."""
    if not found:
        return ()
    name, items = found
    return tuple(LocalItem(origin(f"{name}/"), key, value) for key, value in items)


def _given(cookie: Cookie) -> dict[str, Any]:
    host = cookie.domain.lstrip(".")
    return {
        "name": cookie.name,
        "value": cookie.value,
        "domain": host if cookie.host_only else f".{host}",
        "path": cookie.path,
        "secure": cookie.secure,
        "httpOnly": cookie.http_only,
        "expires": -1 if cookie.expires is None else cookie.expires,
    }


def _taken(found: Any) -> Cookie:
    end = int(found["expires"])
    return Cookie(
        name=found["name"],
        value=found["value"],
        domain=found["domain"],
        path=found["path"],
        secure=found["secure"],
        host_only=not found["domain"].startswith("."),
        expires=end if end > 0 else None,
        http_only=found["httpOnly"],
    )
