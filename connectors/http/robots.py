"""robots.txt (RFC 9309): what a site asks of programs that visit it."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from protego import Protego

from connectors.http.errors import FetchFailed
from schemas.answers import Response
from schemas.urls import host

AGENT = "vokter"
"""Our product token, by which a robots.txt means us."""
MAX_BYTES = 512_000
"""What is read of a file; the RFC asks for 500 KiB at least."""
MAX_DELAY = 30.0
KEPT = 24 * 3600.0
RETRIED = 60.0
"""Seconds after which a file is asked for again that could not be had."""

_BUDGET = 64_000_000
_ENTRY, _LINE = 1_000, 700
"""Bytes, about: what a cached file takes in memory, and each line of it."""


@dataclass(frozen=True, slots=True)
class _Rules:
    until: float
    rules: Protego | None = None
    denied: str | None = None
    size: int = _ENTRY


class Robots:
    """The rules of the sites that are visited, each file kept for a day at most."""

    def __init__(
        self, get: Callable[[str], Awaitable[Response]], clock: Callable[[], float]
    ) -> None:
        """``get`` fetches a URL and raises FetchFailed; ``clock`` gives seconds."""
        self._get = get
        self._clock = clock
        self._known: OrderedDict[str, _Rules] = OrderedDict()
        self._size = 0

    async def refusal(self, url: str) -> str | None:
        """Say why a canonical URL may not be visited, None if it may."""
        site = _site(url)
        known = self._known.get(site)
        if known is None or known.until < self._clock():
            known = await self._load(site)
            self._keep(site, known)
        if known.denied is not None:
            return known.denied
        if known.rules is None or known.rules.can_fetch(url, AGENT):
            return None
        return "the site's robots.txt does not allow it"

    def delay(self, name: str) -> float:
        """Give the seconds that a host (``host[:port]``) wants between two visits, at most 30."""
        sites = (self._known.get(f"{scheme}://{name}") for scheme in ("http", "https"))
        delays = (site.rules.crawl_delay(AGENT) for site in sites if site and site.rules)
        return min(MAX_DELAY, max((delay or 0.0 for delay in delays), default=0.0))

    async def _load(self, site: str) -> _Rules:
        try:
            answer = await self._get(f"{site}/robots.txt")
        except FetchFailed as error:
            return self._denied(str(error))
        if answer.status >= 500:
            return self._denied(f"HTTP {answer.status}")
        if not 200 <= answer.status < 300:
            return _Rules(self._clock() + KEPT)
        lines = list(_ours(answer.body[:MAX_BYTES].decode("utf-8-sig", "replace")))
        rules = Protego.parse("\n".join(lines))
        return _Rules(self._clock() + KEPT, rules, size=_ENTRY + _LINE * len(lines))

    def _denied(self, reason: str) -> _Rules:
        return _Rules(self._clock() + RETRIED, denied=f"the site's robots.txt: {reason}")

    def _keep(self, site: str, rules: _Rules) -> None:
        older = self._known.pop(site, None)
        self._known[site] = rules
        self._size += rules.size - (older.size if older else 0)
        while self._size > _BUDGET and len(self._known) > 1:
            self._size -= self._known.popitem(last=False)[1].size


def _site(url: str) -> str:
    return f"{url.partition('://')[0]}://{host(url)}"


def _ours(text: str) -> Iterator[str]:
    """Give the lines that can concern us.

    All other programs become one: with many of them in one group, a parser's work
    would be the product of their number and that of the rules.
    """
    others = "user-agent: other"
    last = ""
    for line in text.splitlines():
        content = line.partition("#")[0].strip()
        field, _, value = content.partition(":")
        name = field.strip().lower()
        if name == "user-agent":
            token = value.strip().lower()
            content = f"user-agent: {token}" if token in ("*", AGENT) else others
        elif name not in ("allow", "disallow", "crawl-delay"):
            continue
        if content != last:
            yield content
        last = content
