"""Connections to servers: to addresses checked by the guard, or through a proxy."""

import asyncio
import ssl
from base64 import b64encode
from errno import EACCES
from urllib.parse import unquote, urlsplit

from connectors.browser.login import BrowserLogin
from connectors.browser.proxy_head import Head
from connectors.http.egress import AddressRefused, EgressGuard

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CONNECT_LIMIT = 65_536


class Upstream:
    """Connects to allowed addresses; raises AddressRefused, or OSError with the reason."""

    def __init__(self, guard: EgressGuard, timeout: float, login: BrowserLogin | None) -> None:
        """Connecting may take ``timeout`` seconds; ``login`` says where its cookies may go."""
        self._guard = guard
        self._login = login
        self._timeout = timeout
        self._proxy = urlsplit(guard.proxy) if guard.proxy else None

    async def connect(self, head: Head) -> Streams:
        """Connect to the server of a request, or to the deployment's proxy."""
        if self._login is not None and not self._login.may_connect(head.host, head.port):
            raise AddressRefused(EACCES, f"the credentials are not for its port {head.port}")
        try:
            async with asyncio.timeout(self._timeout):
                if self._proxy is None:
                    opened = await self._guard.connected(head.host, head.port)
                    return await asyncio.open_connection(sock=opened, limit=CONNECT_LIMIT)
                return await self._through_proxy(head)
        except UnicodeError as error:
            raise OSError("invalid host name") from error

    def request_head(self, head: Head) -> bytes:
        """Return the head of the request to the server, or to the deployment's proxy."""
        target = head.target
        is_allowed = self._login is None or self._login.may_send_plainly(head.host)
        fields = [each for each in head.fields if is_allowed or each[0].lower() != "cookie"]
        fields.append(("Connection", "close"))
        if self._proxy is not None:
            target = f"http://{_authority(head)}{target}"
            fields += self._credentials()
        lines = [f"{head.method} {target} HTTP/1.1", *(f"{name}: {text}" for name, text in fields)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    async def _through_proxy(self, head: Head) -> Streams:
        proxy = self._proxy
        assert proxy is not None
        is_secure = proxy.scheme == "https"
        scheme = "https" if head.is_tunnel else "http"
        self._guard.check_url(f"{scheme}://{_authority(head)}/")
        reader, writer = await asyncio.open_connection(
            proxy.hostname,
            proxy.port or (443 if is_secure else 80),
            ssl=ssl.create_default_context() if is_secure else None,
            limit=CONNECT_LIMIT,
        )
        if head.is_tunnel:
            fields = [("Host", _authority(head)), *self._credentials()]
            lines = [f"CONNECT {_authority(head)} HTTP/1.1", *(f"{n}: {v}" for n, v in fields)]
            writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
            answer = await reader.readuntil(b"\r\n\r\n")
            if answer[9:12] != b"200":
                writer.close()
                raise OSError(f"the proxy answered {answer[9:12].decode('latin-1')}")
        return reader, writer

    def _credentials(self) -> list[tuple[str, str]]:
        proxy = self._proxy
        if proxy is None or proxy.username is None:
            return []
        pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        return [("Proxy-Authorization", f"Basic {b64encode(pair.encode()).decode()}")]


def _authority(head: Head) -> str:
    name = f"[{head.host}]" if ":" in head.host else head.host
    return f"{name}:{head.port}"
