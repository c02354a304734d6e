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
        "cookies": [
            {
                "name": each.name,
                "value": each.value,
                "domain": ("" if each.host_only else ".") + each.domain.lstrip("."),
                "path": each.path,
                "secure": each.secure,
                "httpOnly": each.http_only,
                "expires": -1 if each.expires is None else each.expires,
            }
            for each in login.jar()
        ],
        "origins": [{"origin": each, "localStorage": items} for each, items in origins.items()],
    }


async def cookies_of(context: "BrowserContext") -> Cookies:
    """Return all cookies of a context."""
    return tuple(
        Cookie(
            name=each["name"],
            value=each["value"],
            domain=each["domain"],
            path=each["path"],
            secure=each["secure"],
            host_only=not each["domain"].startswith("."),
            expires=int(each["expires"]) if int(each["expires"]) > 0 else None,
            http_only=each["httpOnly"],
        )
        for each in await context.cookies()
    )


def local_items(found: Any) -> tuple[LocalItem, ...]:
    """Return the items found by ``LOCAL_ITEMS``, nothing if too many."""
    if not found:
        return ()
    name, items = found
    return tuple(LocalItem(origin(f"{name}/"), key, value) for key, value in items)
