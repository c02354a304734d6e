"""The client session of all outgoing requests: through the guard, without cookies."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from aiohttp import ClientSession, ClientTimeout, DummyCookieJar

from connectors.http.egress import EgressGuard


def user_agent(contact: str | None = None) -> str:
    """Return our User-Agent, with the URL or address of a contact if there is one.

    >>> user_agent("https://example.org/bot")  # doctest: +ELLIPSIS
    'Vokter... (+https://example.org/bot)'
    """
    return f"{_name()} (+{contact})" if contact else _name()


@cache
def _name() -> str:
    try:
        return f"Vokter/{version('vokter')}"
    except PackageNotFoundError:
        return "Vokter"


def guarded_session(
    guard: EgressGuard,
    timeout: ClientTimeout,
    contact: str | None,
    *,
    keepalive: float,
    **limits: Any,
) -> ClientSession:
    """Open a session; ``limits`` are options of aiohttp's. Needs a running loop.

    A connection that was idle for ``keepalive`` s is closed. Most servers close one after
    five or more, and a request that is sent at that moment has to be repeated.
    """
    return ClientSession(
        connector=guard.connector(keepalive),
        cookie_jar=DummyCookieJar(),
        headers={"User-Agent": user_agent(contact)},
        timeout=timeout,
        trust_env=False,  # only VOKTER_PROXY names a proxy
        proxy=guard.proxy,
        **limits,
    )
