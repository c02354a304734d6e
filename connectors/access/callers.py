"""Callers who were admitted: by a key, or from this machine only, while there are no keys."""

from aiohttp import web
from yarl import URL

from connectors.access.keys import ApiKey
from connectors.access.loopback import is_loopback
from connectors.access.roles import Role
from connectors.access.routes import needed_role

DEFAULT_MANAGER = "default"
NO_KEY = ApiKey("", "", DEFAULT_MANAGER, role=Role.ADMIN)
"""Stands for the key of a caller who needs none: a user of this machine."""
PROXIED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
"""Headers of reverse proxies."""
_KEY = web.RequestKey("key", ApiKey)


class RoleMissing(Exception):
    """The caller's key lacks the role for the request; the text names the role."""


def caller(request: web.Request) -> ApiKey:
    """Return the key of an admitted request."""
    return request[_KEY]


def may(request: web.Request, role: Role) -> bool:
    """Whether the caller has a role; a caller without a key may have none."""
    return _KEY in request and caller(request).role.allows(role)


def set_caller(request: web.Request, key: ApiKey) -> None:
    """Note with which key a request is admitted; raises RoleMissing if its role may not."""
    needed = needed_role(request)
    if needed is not None and not key.role.allows(needed):
        raise RoleMissing(f"This needs a key with the role {needed}; the role here is {key.role}.")
    request[_KEY] = key


def foreign_page(request: web.Request) -> str | None:
    """Return why a call from a browser is refused, None if admitted.

    Without keys, any web page in a browser on this machine could call the API. A page from another
    site has another Origin; a page whose name was pointed here (DNS rebinding) has another Host. A
    reverse proxy on this machine may send any Host, for everybody. An image or script has no
    Origin, but its success tells a page about the target; browsers say so in Sec-Fetch-Site
    (https://www.w3.org/TR/fetch-metadata/).
    """
    if proxied := [name for name in PROXIED if name in request.headers]:
        return (
            f"Without API keys the API answers no reverse proxy, which sent {proxied[0]}: create "
            "a key with 'vokter keys add MANAGER'."
        )
    host, origin = request.host, request.headers.get("Origin")
    if not is_loopback(URL(f"http://{host}").host or ""):
        return (
            f"Without API keys the API answers only on loopback, not on {host!r}: call "
            "127.0.0.1, or create a key with 'vokter keys add MANAGER'."
        )
    if origin is not None and origin.partition("//")[2] != host:
        return f"Without API keys web pages of {origin!r} may not call the API."
    site = request.headers.get("Sec-Fetch-Site", "none")
    is_link = request.headers.get("Sec-Fetch-Mode") == "navigate"
    if site not in {"none", "same-origin"} and not is_link:
        return f"Without API keys web pages of other sites ({site}) may not call the API."
    return None
