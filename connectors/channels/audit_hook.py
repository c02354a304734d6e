"""Allow a sending process to connect by the egress policy and to read its own modules, no more.

Apprise opens connections with several libraries, obeys the address, and some addresses name files
of this machine. So Python itself asks here before each connection, open or start (PEP 578): no
library can do without, and nothing can remove the hook.
"""

import os
import socket
import sysconfig
from errno import EACCES
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

import certifi
from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from connectors.channels.work import Egress
from schemas.records.egress_policy import EgressPolicy
from schemas.records.urls import canonical

MAIL_PORTS = (465, 587)
"""Ports at which mail servers accept mail of those who sign in; 25 is for those who do not."""
_NAME = "of the channel's server"
_OWN = ("connectors", "schemas")
_READ = ("stdlib", "platstdlib", "purelib", "platlib")
_SYSTEM = ("/etc/hosts", "/etc/mime.types", "/etc/pki/", "/etc/ssl/", "/usr/share/zoneinfo/")
_KEYS = ("/etc/pki/tls/private/", "/etc/ssl/private/")
_DEVICES = ("/dev/null", "/dev/urandom")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"}
_CHANGES = {"os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink"}
_FORBIDDEN = _STARTS | _CHANGES | {"ctypes.dlopen", "socket.bind", "subprocess.Popen"}


class ActionForbidden(PermissionError):
    """This process may not do this."""


class AuditHook:
    """An audit hook; ``refusal`` is the reason of the first refusal, without an address."""

    def __init__(self, proxy: str = "") -> None:
        """A ``proxy`` (URL) is the only server to connect to, and looks up all names."""
        self.refusal = ""
        self._policy = EgressPolicy()
        self._proxy: set[tuple[str, int]] | None = None
        if proxy:
            parts = urlsplit(proxy)
            port = parts.port or (443 if parts.scheme == "https" else 80)
            found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
            self._proxy = {(str(each[4][0]), int(each[4][1])) for each in found}
        certificates = [certifi.where(), os.environ.get("SSL_CERT_FILE", "")]
        paths = sysconfig.get_paths()
        own = Path(__file__).parents[2]
        folders = [paths[name] for name in _READ] + [str(own / each) for each in _OWN]
        self._folders = (*(f"{each}{os.sep}" for each in folders), *_SYSTEM)
        self._files = {*_DEVICES, *filter(None, certificates)}
        self._checks: dict[str, Any] = {
            "open": self._open,
            "socket.connect": self._connect,
            "socket.sendmsg": self._connect,
            "socket.sendto": self._connect,
        }

    def set_egress(self, egress: Egress) -> None:
        """Begin an item of work with connections allowed by ``egress``."""
        ports = (*egress.ports, *MAIL_PORTS)
        self._policy = EgressPolicy(egress.networks, ports, frozenset(egress.own))
        self.refusal = ""

    def check_url(self, url: str) -> None:
        """Raise ActionForbidden for a URL forbidden to the proxy.

        The proxy checks the names it looks up; IP literals are checked here.
        """
        if self._proxy is None:
            return
        parts = urlsplit(url)
        end = canonical(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/")
        if end is None:
            self._close("its URL is not valid")
        elif refusal := self._policy.url_refusal(end, _NAME):
            self._close(refusal)

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        """Raise ActionForbidden for forbidden events; Python calls this method."""
        check = self._checks.get(event)
        if check is not None:
            refusal = check(*args)
        elif event in _FORBIDDEN:
            refusal = f"it wants to do what channels may not ({event})"
        else:
            return
        if refusal:
            self._close(refusal)

    def _close(self, refusal: str) -> NoReturn:
        self.refusal = self.refusal or refusal
        raise ActionForbidden(EACCES, refusal)

    def _connect(self, _: Any, address: Any) -> str:
        if not isinstance(address, tuple):
            return "" if address is None else "only connections by IP are allowed"
        host, port = address[:2]
        if self._proxy is not None:
            reason = "mail cannot go through the proxy (VOKTER_PROXY)"
            return "" if (host, port) in self._proxy else reason
        try:
            return self._policy.refusal(host, port, _NAME) or ""
        except ValueError:  # a name, which would be looked up after this check
            return "only connections to addresses that were looked up are allowed"

    def _open(self, path: Any, mode: str | None, flags: int | None) -> str:
        if isinstance(path, int):
            return ""
        name = os.path.realpath(os.fsdecode(path))
        if (mode and set(mode) & set("wax+")) or (flags or 0) & _WRITES:
            return "" if name in _DEVICES else "it wants to write a file"
        is_public = name.startswith(self._folders) and not name.startswith(_KEYS)
        is_ours = name in self._files or is_public
        return "" if is_ours else "it wants to read a file of this machine"


def check_requests(hook: AuditHook) -> None:
    """Let all requests of this process be checked by their URLs."""
    send = HTTPAdapter.send

    def checked_send(
        self: HTTPAdapter, request: PreparedRequest, *args: Any, **options: Any
    ) -> Response:
        hook.check_url(request.url or "")
        return send(self, request, *args, **options)

    HTTPAdapter.send = checked_send  # type: ignore[method-assign]  # it has no hook before
