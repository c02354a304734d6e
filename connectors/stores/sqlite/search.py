"""The words of changes: the API searches them, and ``vokter reprocess --index`` writes them again.

Triggers of the schema keep the index: it has what is in ``facts``, in the same transaction.
"""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import (
    client_subject,
    page_fact_id,
    unpack_fact,
    unpack_subscription,
)
from connectors.stores.pages import ChangeSearch, FoundChange, ListingPage
from connectors.stores.read_side import FactPage
from connectors.stores.seen import MAX_WATCHES, PLAIN, Coverage, SeenChanges, WatchRow
from connectors.stores.span import covered_span
from connectors.stores.sqlite.file import SqlitePart, reads, writes

_WATCHES = """
    SELECT id, url, view, created, ended,
    CASE WHEN instr(body, ?) AND instr(body, ?) THEN '' ELSE body END
    FROM subscriptions WHERE manager = ? ORDER BY created DESC, id DESC LIMIT ?
"""
_COVERED = """
    SELECT id FROM facts WHERE kind IN ('page', 'removed_page') AND subject = ?
"""
_COVERAGE = """
    SELECT fact FROM facts WHERE kind IN ('page', 'removed_page') AND id = ?
    ORDER BY at DESC LIMIT 1
"""
# The order of the joins is that of the index: the newest first, and no more than are wanted.
_FOUND = """
    SELECT s.place, f.at, f.subject, f.fact
    FROM search CROSS JOIN searched s ON s.place = search.rowid
    CROSS JOIN facts f ON f.number = s.fact
    WHERE search MATCH :terms AND search.rowid < :before AND search.rowid >= :since
    AND +f.subject IN (SELECT value FROM json_each(:subjects))
    ORDER BY search.rowid DESC
"""
_BODY = "SELECT body FROM subscriptions WHERE id = ?"
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
        """List the changes with some terms that a manager's own watches saw."""
        at, rank = cursor.read(after, cursor.LATEST)
        seen = _seen(connection, manager)
        values = {
            "terms": _expression(asked),
            "before": (min(at, _LATEST) << 10) + int(rank[:4] or 0),
            "since": asked.since << 10,
            "subjects": json.dumps(seen.subjects),
        }
        page, watches = FactPage(limit), list[str]()
        for place, at, subject, fact in connection.execute(_FOUND, values):
            watch = seen.watch_of(subject, at) or _crawl_of(connection, seen, subject, at)
            if watch is None:
                continue
            if not page.add(place >> 10, str(place & 1023), fact):
                break
            watches.append(watch)
        found = page.page()
        bodies = (connection.execute(_BODY, [watch]).fetchone()[0] for watch in watches)
        pairs = zip(bodies, found.items, strict=False)
        items = (FoundChange(unpack_subscription(body), change) for body, change in pairs)
        return ListingPage(tuple(items), found.next)

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
"""Later than all times (epoch ms) that have a place in the index."""


def _expression(asked: ChangeSearch) -> str:
    """Return the terms in the language of FTS5; a term has no quotes."""
    choices = (" AND ".join(f'"{term}"' for term in terms) for terms in asked.choices)
    return " OR ".join(f"({each})" for each in choices)


def _seen(connection: sqlite3.Connection, manager: str) -> SeenChanges:
    rows = connection.execute(_WATCHES, [*PLAIN, manager, MAX_WATCHES])
    seen = SeenChanges(map(WatchRow._make, rows))
    for crawl in seen.crawls:
        for (name,) in connection.execute(_COVERED, [client_subject(manager, crawl)]):
            seen.cover(crawl, name.partition(" ")[2])
    return seen


def _crawl_of(
    connection: sqlite3.Connection, seen: SeenChanges, subject: str, at: int
) -> str | None:
    found = (page.crawl for page in seen.crawls_of(subject) if _was_covered(connection, page, at))
    return next(found, None)


def _was_covered(connection: sqlite3.Connection, page: Coverage, at: int) -> bool:
    row = connection.execute(_COVERAGE, [page_fact_id(page.crawl, page.url)]).fetchone()
    return row is not None and covered_span(unpack_fact(row[0]), page.view).has(at)
