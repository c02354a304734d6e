"""Flags of listed subscriptions, from recorded facts."""

import json
import sqlite3
from dataclasses import replace

from connectors.stores.packing import waiting_key_of
from connectors.stores.pages import ListedSubscription, WithoutRoom
from connectors.stores.read_side import crawl_subject_of, with_waiting
from connectors.stores.span import shown_state
from schemas.records.crawls import MAX_WITHOUT_ROOM

_WAITING = """
    SELECT id, fact FROM facts
    WHERE kind = 'waiting' AND id IN (SELECT value FROM json_each(?))
"""
WITHOUT_ROOM = """
    SELECT count(*), max(at) FROM (
        SELECT at FROM facts WHERE kind = 'no_room' AND subject = ? ORDER BY at DESC LIMIT ?
    )
"""


def with_noted(
    connection: sqlite3.Connection, items: list[ListedSubscription]
) -> list[ListedSubscription]:
    """Add waiting edits, and the pages of crawls without room, for display."""
    found = map(shown_state, _with_waiting(connection, items))
    return [_with_room(connection, each) for each in found]


def _with_waiting(
    connection: sqlite3.Connection, items: list[ListedSubscription]
) -> list[ListedSubscription]:
    """Add waiting edits, with one more query if a subscription has patience."""
    keys = [*filter(None, (waiting_key_of(each.subscription) for each in items))]
    if not keys:
        return items
    rows = dict(connection.execute(_WAITING, [json.dumps(keys)]).fetchall())
    return with_waiting(items, rows)


def _with_room(connection: sqlite3.Connection, listed: ListedSubscription) -> ListedSubscription:
    subject = crawl_subject_of(listed)
    if subject is None:
        return listed
    count, at = connection.execute(WITHOUT_ROOM, [subject, MAX_WITHOUT_ROOM]).fetchone()
    return replace(listed, without_room=WithoutRoom(count, at)) if count else listed
