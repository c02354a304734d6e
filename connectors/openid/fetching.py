"""Requests to the issuer, bounded in time and size."""

import json
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout
from yarl import URL

from connectors.access.loopback import is_loopback
from connectors.openid.errors import IssuerUnavailable

TIMEOUT_S = 5.0
"""For a request; a sign-in needs up to three."""
MAX_BYTES = 256 * 1024


def is_safe(url: Any) -> bool:
    """Whether a download from a URL is trustworthy: by TLS, or from this machine.

    >>> is_safe("https://login.example/"), is_safe("http://login.example/")
    (True, False)
    """
    try:
        found = URL(url)
    except (TypeError, ValueError):
        return False
    on_loopback = found.scheme == "http" and is_loopback(found.host or "")
    return bool(found.host) and (found.scheme == "https" or on_loopback)


async def fetch_json(
    url: str, form: str | None = None, headers: dict[str, str] | None = None
) -> dict[str, Any]:
    """Fetch an object, with a form by POST; raises IssuerUnavailable. Follows no redirect."""
    given = {"Accept": "application/json", "Accept-Encoding": "identity", **(headers or {})}
    method = "GET" if form is None else "POST"
    try:
        async with (
            ClientSession(timeout=ClientTimeout(total=TIMEOUT_S)) as http,
            http.request(method, url, data=form, headers=given, allow_redirects=False) as response,
        ):
            body = bytearray()
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise IssuerUnavailable(f"{url} answered with more than {MAX_BYTES} bytes.")
            found = json.loads(body)
    except TimeoutError:
        raise IssuerUnavailable(f"{url} did not answer within {TIMEOUT_S:g} s.") from None
    except (ClientError, OSError) as error:
        raise IssuerUnavailable(f"{url} does not answer: {error}") from error
    except (ValueError, RecursionError):
        raise IssuerUnavailable(f"{url} answered {response.status} without JSON.") from None
    if not isinstance(found, dict):
        raise IssuerUnavailable(f"{url} answered {response.status} without a JSON object.")
    return found
