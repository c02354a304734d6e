"""robots.txt (RFC 9309): what a site allows programs to fetch."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

from cachetools import LRUCache
from protego import Protego

from connectors.http.errors import FetchFailed
from schemas.records.answers import Response
from schemas.records.urls import host

AGENT = "vokter"
"""Our product token, which a robots.txt may name."""
MAX_BYTES = 512_000
"""Bytes of a file that are read; the RFC asks for 500 KiB at least."""
LARGE, MANY_RULES = 10_000, 200
"""Bytes of a file, and lines of rules, from which work on them would hold up the event loop."""
MAX_VERDICTS = 1_000
"""URLs of a site with many rules for which the verdict is kept."""
MAX_DELAY_S = 30.0
TTL_S = 24 * 3600.0
RETRY_AFTER_S = 60.0
"""Seconds after which a file that could not be fetched is fetched again."""

_BUDGET = 64_000_000
_ENTRY, _LINE, _VERDICT = 1_000, 700, 150
"""Approximate bytes of memory for a cached file, each of its lines, and a verdict."""


@dataclass(frozen=True, slots=True)
class _Rules:
    expires: float
    rules: Protego | None = None
    refusal: str | None = None
    failure: FetchFailed | None = None
    size: int = _ENTRY
    verdicts: LRUCache[int, bool] | None = None


class Robots:
    """The rules of the sites, each cached for a day at most.

    >>> await Robots(get, time.time).refusal("https://example.org/private")  # doctest: +SKIP
    "the site's robots.txt does not allow it"
    """

    def __init__(
        self,
        get: Callable[[str], Awaitable[Response]],
        clock: Callable[[], float],
        shared_by: int = 1,
    ) -> None:
        """``get`` fetches a URL or raises FetchFailed; ``clock`` returns seconds.

        ``shared_by`` so many of these have the memory of one.
        """
        self._get = get
        self._clock = clock
        self._cache: OrderedDict[str, _Rules] = OrderedDict()
        self._size = 0
        self._budget = _BUDGET // shared_by

    async def refusal(self, url: str) -> str | None:
        """Return why a canonical URL may not be fetched, None if it may.

        Raises FetchFailed, with its cause, if the file could not be fetched.
        """
        site = f"{url.partition('://')[0]}://{host(url)}"
        cached = self._cache.get(site)
        if cached is None or cached.expires < self._clock():
            cached = await self._load(site)
            older = self._cache.pop(site, None)
            self._cache[site] = cached
            self._size += cached.size - (older.size if older else 0)
            while self._size > self._budget and len(self._cache) > 1:
                self._size -= self._cache.popitem(last=False)[1].size
        if cached.failure is not None:
            reason = _unavailable(str(cached.failure))
            raise FetchFailed(reason) from cached.failure.__cause__
        if cached.refusal is not None:
            return cached.refusal
        if cached.rules is None or await _allows(cached, cached.rules, url):
            return None
        return "the site's robots.txt does not allow it"

    def delay(self, name: str) -> float:
        """Return the seconds that a host (``host[:port]``) wants between requests, at most 30."""
        sites = (self._cache.get(f"{scheme}://{name}") for scheme in ("http", "https"))
        delays = (site.rules.crawl_delay(AGENT) for site in sites if site and site.rules)
        return min(MAX_DELAY_S, max((delay or 0.0 for delay in delays), default=0.0))

    async def _load(self, site: str) -> _Rules:
        try:
            answer = await self._get(f"{site}/robots.txt")
        except FetchFailed as error:
            if error.__cause__ is not None:
                error.__cause__.__traceback__ = None  # it would keep the whole request
            return _Rules(self._clock() + RETRY_AFTER_S, failure=error.with_traceback(None))
        if answer.status >= 500:
            refusal = _unavailable(f"HTTP {answer.status}")
            return _Rules(self._clock() + RETRY_AFTER_S, refusal=refusal)
        if not 200 <= answer.status < 300:
            return _Rules(self._clock() + TTL_S)
        body = answer.body[:MAX_BYTES]
        is_large = len(body) > LARGE
        rules, count = await asyncio.to_thread(_parsed, body) if is_large else _parsed(body)
        size, expires = _ENTRY + _LINE * count, self._clock() + TTL_S
        if count <= MANY_RULES:
            return _Rules(expires, rules, size=size)
        verdicts: LRUCache[int, bool] = LRUCache(MAX_VERDICTS)
        return _Rules(expires, rules, size=size + _VERDICT * MAX_VERDICTS, verdicts=verdicts)


def _parsed(body: bytes) -> tuple[Protego, int]:
    """Parse a file; returns its rules, and how many lines they are."""
    lines = list(_relevant_lines(body.decode("utf-8-sig", "replace")))
    return Protego.parse("\n".join(lines)), len(lines)


async def _allows(cached: _Rules, rules: Protego, url: str) -> bool:
    """Ask the rules about a URL; many rules are asked once for each, and not on the loop."""
    if cached.verdicts is None:
        return rules.can_fetch(url, AGENT)
    verdict = cached.verdicts.get(hash(url))
    if verdict is None:
        verdict = await asyncio.to_thread(rules.can_fetch, url, AGENT)
        cached.verdicts[hash(url)] = verdict
    return verdict


def _unavailable(reason: str) -> str:
    return f"the site's robots.txt: {reason}"


def _relevant_lines(text: str) -> Iterator[str]:
    """Yield the lines that can concern us.

    All other programs become one: the parser's work is the number of programs in a group
    times the number of rules, which a site could use against us.
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
