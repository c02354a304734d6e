"""The one way to make outgoing requests: through the guard, without cookies."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar

from connectors.http.egress import EgressGuard


def user_agent(contact: str | None = None) -> str:
    """Name ourselves, with the URL or address of who is to be contacted, if given."""
    try:
        name = f"Vokter/{version('vokter')}"
    except PackageNotFoundError:
        name = "Vokter"
    return f"{name} (+{contact})" if contact else name


def guarded_session(
    guard: EgressGuard,
    timeout: ClientTimeout,
    contact: str | None,
    *,
    keepalive: float,
    **limits: Any,
) -> ClientSession:
    """Open a session; ``limits`` are aiohttp's own. Needs a running loop.

    A connection that has rested for ``keepalive`` s is closed. Most servers close it after
    five or more, and a request that meets that has to be made again.
    """
    return ClientSession(
        connector=guard.connector(keepalive),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": user_agent(contact)},
        timeout=timeout,
        trust_env=False,  # a proxy is used only when our own setting names it
        proxy=guard.proxy,
        **limits,
    )
