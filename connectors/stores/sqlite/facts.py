"""The API's part: changes, notifications and deliveries, newest first."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from heapq import merge
from operator import itemgetter
from typing import Any

from connectors.stores import cursor
from connectors.stores.packing import (
    canonical_client,
    client_subject,
    document_subject,
    unpack_fact,
)
from connectors.stores.pages import (
    DAY_MS,
    MAX_COUNTED,
    MAX_SEARCHED,
    ChangesInSpan,
    DocumentSpan,
    ListingPage,
    NewsSearch,
)
from connectors.stores.ports import ClientFacts
from connectors.stores.read_side import FactPage
from connectors.stores.span import SubscribedTime, changes_page, history_page, shown_change
from connectors.stores.sqlite.file import SqlitePart, reads
from connectors.stores.sqlite.subscriptions import span_of, spans_with_earlier
from schemas.records.history import ChangeHistory
from schemas.records.notifications import Notification

_FACTS = """
    SELECT at, id, fact FROM facts
    WHERE kind = ? AND subject = ? AND at BETWEEN ? AND ? AND (at, id) < (?, ?)
    ORDER BY at DESC, id DESC LIMIT ?
"""
_WITH_IDS = """
    SELECT at, id, fact FROM facts
    WHERE kind = ? AND subject IN (SELECT value FROM json_each(?))
    AND id IN (SELECT value FROM json_each(?))
    ORDER BY at DESC, id DESC
"""
_CHANGE = """
    SELECT fact FROM facts
    WHERE kind = 'change' AND id = ? AND subject = ? AND at BETWEEN ? AND ?
"""
_COUNTS = """
    SELECT s.key, f.at / :day, count(*), max(f.at)
    FROM json_each(:spans) s JOIN facts f ON f.kind = 'change'
    AND f.subject = json_extract(s.value, '$[0]')
    AND f.at BETWEEN json_extract(s.value, '$[1]') AND json_extract(s.value, '$[2]')
    AND f.at >= coalesce((
        SELECT at FROM facts WHERE kind = 'change' AND subject = json_extract(s.value, '$[0]')
        AND at <= json_extract(s.value, '$[2]') ORDER BY at DESC LIMIT 1 OFFSET :skipped), 0)
    GROUP BY 1, 2
"""
_NEWEST = """
    SELECT f.fact FROM json_each(:subjects) s CROSS JOIN json_each(:kinds) k CROSS JOIN facts f
    ON f.rowid = (SELECT rowid FROM facts WHERE kind = k.value AND subject = s.value
                  ORDER BY at DESC, id DESC LIMIT 1)
"""
_NOTIFICATION = "SELECT fact FROM facts WHERE kind = 'notification' AND id = ?"


def _news(only: str) -> tuple[str, str]:
    """Return the query for the last notification in reach, and the query for the matches."""
    of_all = f"kind = 'notification' AND {only} AND (at, id) < (:at, :id)"
    last = f"SELECT at, id FROM facts WHERE {of_all} ORDER BY at DESC, id DESC LIMIT 1 OFFSET :most"  # noqa: S608 - constants
    found = f"""
        SELECT at, id, fact FROM facts WHERE {of_all} AND (at, id) >= (:last_at, :last_id)
        AND instr(tags, :tag) > 0 AND instr(words, :text) > 0
        ORDER BY at DESC, id DESC LIMIT :limit
    """  # noqa: S608 - constants
    return last, found


NEWS = {False: _news("manager = :manager"), True: _news("subject = :subject")}
"""By whether the receiver is given."""
_EVER = SubscribedTime("", 0, cursor.LATEST)


class SqliteFacts(SqlitePart):
    """Implements ``connectors.stores.ports.FactReader``."""

    @reads
    def changes(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        after: str | None,
        limit: int,
        subscription: str | None = None,
    ) -> ListingPage[Any] | None:
        """List a document's changes while a manager had subscriptions to the document."""
        spans = spans_with_earlier(connection, manager, url, subscription)
        if not spans:
            return None
        under = [(document_subject(url, span.view), span) for span in spans]
        return changes_page(spans, _page(connection, "change", under, after, limit))

    @reads
    def change(
        self, connection: sqlite3.Connection, manager: str, url: str, change: str, subscription: str
    ) -> Any | None:
        """Load a change while a manager had subscriptions of its document."""
        for span in spans_with_earlier(connection, manager, url, subscription):
            values = [change, document_subject(url, span.view), span.begin, span.end]
            row = connection.execute(_CHANGE, values).fetchone()
            if row is not None:
                return shown_change(unpack_fact(row[0]), span.begin)
        return None

    @reads
    def history(
        self,
        connection: sqlite3.Connection,
        manager: str,
        url: str,
        view: str,
        since: int,
        after: str | None,
        limit: int,
    ) -> ChangeHistory | None:
        """List the same changes of a document in a view, from a time on."""
        span = span_of(connection, manager, url, view=view)
        if span is None:
            return None
        under = [(document_subject(url, view), span.from_time(since))]
        page = _page(connection, "change", under, after, limit)
        return history_page(span, page)

    @reads
    def change_counts(
        self, connection: sqlite3.Connection, spans: Sequence[DocumentSpan]
    ) -> list[ChangesInSpan]:
        """Count the newest changes of each span by day."""
        asked = [[document_subject(each.url, each.view), each.begin, each.end] for each in spans]
        found: list[list[tuple[int, int, int]]] = [[] for _ in spans]
        values = {"spans": json.dumps(asked), "day": DAY_MS, "skipped": MAX_COUNTED - 1}
        for span, *of_day in connection.execute(_COUNTS, values):
            found[span].append(tuple(of_day))
        return [
            ChangesInSpan(
                {day: count for day, count, _ in days}, max((at for *_, at in days), default=None)
            )
            for days in found
        ]

    @reads
    def notification(
        self, connection: sqlite3.Connection, manager: str, notification: str
    ) -> Notification | None:
        """Load a notification of the manager."""
        row = connection.execute(_NOTIFICATION, [notification]).fetchone()
        found: Notification | None = None if row is None else unpack_fact(row[0])
        return found if found is not None and found.manager == manager else None

    @reads
    def of_client(
        self,
        connection: sqlite3.Connection,
        kind: ClientFacts,
        manager: str,
        client: str,
        after: str | None,
        limit: int,
    ) -> ListingPage[Any]:
        """List the notifications of a manager's client, or their deliveries."""
        subject = client_subject(manager, canonical_client(client))
        return _page(connection, kind, [(subject, _EVER)], after, limit)

    @reads
    def newest_of_clients(
        self,
        connection: sqlite3.Connection,
        kinds: Collection[ClientFacts],
        manager: str,
        clients: Collection[str],
    ) -> list[Any]:
        """Load the newest fact of each of some kinds about each of a manager's clients."""
        subjects = [client_subject(manager, canonical_client(client)) for client in clients]
        values = {"subjects": json.dumps(subjects), "kinds": json.dumps(list(kinds))}
        return [unpack_fact(fact) for (fact,) in connection.execute(_NEWEST, values)]

    @reads
    def news(
        self,
        connection: sqlite3.Connection,
        manager: str,
        asked: NewsSearch,
        after: str | None,
        limit: int,
    ) -> ListingPage[Any]:
        """List the notifications of a manager which a search finds."""
        at, first = cursor.read(after, cursor.LATEST)
        subject = client_subject(manager, canonical_client(asked.client))
        last_of, found_of = NEWS[bool(asked.client)]
        begin = {"manager": manager, "subject": subject, "at": at, "id": first}
        last = connection.execute(last_of, {**begin, "most": MAX_SEARCHED - 1}).fetchone()
        values = {
            **begin,
            "last_at": last[0] if last else -1,
            "last_id": last[1] if last else "",
            "tag": f"\n{asked.tag}\n" if asked.tag else "",
            "text": asked.text.lower(),
            "limit": limit + 1,
        }
        page = FactPage(limit)
        for row in connection.execute(found_of, values):
            if not page.add(*row):
                break
        return page.page(last)

    @reads
    def with_ids(
        self,
        connection: sqlite3.Connection,
        kind: ClientFacts,
        manager: str,
        clients: Collection[str],
        ids: Collection[str],
    ) -> ListingPage[Any]:
        """Load those of some clients with these ids of notifications."""
        subjects = [client_subject(manager, canonical_client(client)) for client in clients]
        page = FactPage(len(ids))
        values = [kind, json.dumps(subjects), json.dumps(list(ids))]
        for row in connection.execute(_WITH_IDS, values):
            if not page.add(*row):
                break
        return page.page()


def _page(
    connection: sqlite3.Connection,
    kind: str,
    listed_under: Sequence[tuple[str, SubscribedTime]],
    after: str | None,
    limit: int,
) -> ListingPage[Any]:
    """Return a page of the facts of a kind under some subjects, each in a span."""
    before = cursor.read(after, cursor.LATEST)
    page = FactPage(limit)
    found = [
        connection.execute(_FACTS, [kind, subject, span.begin, span.end, *before, limit + 1])
        for subject, span in listed_under
    ]
    for row in merge(*found, key=itemgetter(0, 1), reverse=True):
        if not page.add(*row):
            break
    return page.page()
