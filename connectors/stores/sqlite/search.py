"""The words of changes: the API searches them, and ``vokter reprocess --index`` writes them again.

Triggers of the schema keep the index in step with ``facts``, in the same transaction.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import (
    client_subjects,
    page_fact_id,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import ChangeSearch, FoundChange, ListingPage
from connectors.stores.read_side import FactPage
from connectors.stores.seen import CoveredView, WatchRow, url_of, watch_of
from connectors.stores.span import covered_span
from connectors.stores.sqlite.file import SqlitePart, reads, writes
from schemas.records.subscriptions import Subscription

MOST_CHANGES = 50_000
"""The most changes read by a call, whatever their words: its page may be shorter.

Others' changes count, so where a page ends says nothing of the words in them."""
_FIRST = "SELECT min(created) FROM subscriptions WHERE manager = ?"
_LAST = """
    SELECT place FROM searched WHERE place < :before AND place >= :since
    ORDER BY place DESC LIMIT 1 OFFSET :most
"""
_COVERED = """
    SELECT s.id, s.view, substr(f.id, length(s.id) + 2)
    FROM facts f CROSS JOIN subscriptions s ON s.id = substr(f.id, 1, instr(f.id, ' ') - 1)
    WHERE f.kind IN ('page', 'removed_page') AND f.subject > ? AND f.subject < ?
"""
_COVERAGE = """
    SELECT f.fact, s.body FROM facts f JOIN subscriptions s ON s.id = :crawl
    WHERE f.kind IN ('page', 'removed_page') AND f.id = :page ORDER BY f.at DESC LIMIT 1
"""
_URL = "substr(f.subject, 1, instr(f.subject || ' ', ' ') - 1)"
# The order of the joins is that of the index: the newest first, and no more than are wanted.
_FOUND = f"""
    SELECT s.place, f.at, f.subject, f.fact
    FROM search CROSS JOIN searched s ON s.place = search.rowid
    CROSS JOIN facts f ON f.number = s.fact
    WHERE search MATCH :terms AND search.rowid < :before AND search.rowid >= :since
    AND (EXISTS (SELECT 1 FROM subscriptions WHERE manager = :manager AND url = {_URL})
         OR f.subject IN (SELECT value FROM json_each(:covered)))
    ORDER BY search.rowid DESC
"""  # noqa: S608 - a constant
_WATCHES = """
    SELECT view, created, ended, body FROM subscriptions
    WHERE manager = ? AND url = ? ORDER BY +created DESC, id DESC
"""
_CHANGES = """
    SELECT id, fact FROM facts WHERE kind = 'change' AND id > ? ORDER BY id LIMIT ?
"""
_INDEX = "UPDATE facts SET words = :words WHERE kind = 'change' AND id = :id AND words <> :words"


class SqliteSearch(SqlitePart):
    """Implements ``connectors.stores.ports.ChangeSearcher``."""

    @reads
    def find(
        self,
        connection: sqlite3.Connection,
        manager: str,
        asked: ChangeSearch,
        after: str | None,
        limit: int,
    ) -> ListingPage[FoundChange]:
        """List the changes with some terms in the pages of a manager."""
        at, rank = cursor.read(after, cursor.LATEST)
        (first,) = connection.execute(_FIRST, [manager]).fetchone()
        if first is None:
            return ListingPage((), None)
        span = {
            "before": (min(at, _LATEST) << 10) + int(rank[:4] or 0),
            "since": max(first, asked.since) << 10,
        }
        last = connection.execute(_LAST, {**span, "most": MOST_CHANGES - 1}).fetchone()
        pages = defaultdict[str, list[CoveredView]](list)
        for row in connection.execute(_COVERED, client_subjects(manager)):
            covered = CoveredView._make(row)
            pages[covered.subject].append(covered)
        # In the language of FTS5; a term has no quotes.
        choices = (" AND ".join(f'"{term}"' for term in terms) for terms in asked.choices)
        values = {
            **span,
            "since": last[0] if last else span["since"],
            "manager": manager,
            "terms": " OR ".join(f"({each})" for each in choices),
            "covered": json.dumps(list(pages)),
        }
        page, watches = FactPage(limit), list[Subscription]()
        watching: dict[str, list[WatchRow]] = {}
        for place, at, subject, fact in connection.execute(_FOUND, values):
            if (url := url_of(subject)) not in watching:
                rows = connection.execute(_WATCHES, [manager, url])
                watching[url] = list(map(WatchRow._make, rows))
            watch = watch_of(watching[url], subject, at)
            watch = watch or _crawl_of(connection, pages.get(subject, ()), at)
            if watch is None:
                continue
            if not page.add(*_edge(place), fact):
                break
            watches.append(watch)
        found = page.page(last and _edge(last[0]))
        return ListingPage(tuple(map(FoundChange, watches, found.items)), found.next)

    @reads
    def changes(
        self, connection: sqlite3.Connection, after: str, limit: int
    ) -> list[tuple[str, Any]]:
        """List changes of all managers in the order of their ids, each with its id."""
        rows = connection.execute(_CHANGES, [after, limit])
        return [(name, unpack_fact(fact)) for name, fact in rows]

    @writes
    def index(self, connection: sqlite3.Connection, terms: Mapping[str, str]) -> None:
        """Replace the terms of changes, by their ids."""
        values = [{"id": name, "words": words} for name, words in terms.items()]
        connection.executemany(_INDEX, values)


_LATEST = 1 << 52
"""Later than all times (epoch ms) in the index."""


def _edge(place: int) -> tuple[int, str]:
    """Return the time of a place in the index, and its number among those of the time."""
    return place >> 10, str(place & 1023)


def _crawl_of(
    connection: sqlite3.Connection, pages: Iterable[CoveredView], at: int
) -> Subscription | None:
    """Return a subscription with a crawl over these pages at a time."""
    for page in pages:
        values = {"crawl": page.crawl, "page": page_fact_id(page.crawl, page.url)}
        row = connection.execute(_COVERAGE, values).fetchone()
        if row is not None and covered_span(unpack_fact(row[0]), page.view).has(at):
            return unpack_subscription(row[1])
    return None
