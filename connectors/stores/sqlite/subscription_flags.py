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
    keys = [*filter(None, (waiting_key_of(each.subscription) for each in items))]
    if keys:
        rows = dict(connection.execute(_WAITING, [json.dumps(keys)]).fetchall())
        items = with_waiting(items, rows)
    found = [*map(shown_state, items)]
    crawls = [(at, name) for at, each in enumerate(found) if (name := crawl_subject_of(each))]
    for at, subject in crawls:
        values = [subject, MAX_WITHOUT_ROOM]
        count, newest = connection.execute(WITHOUT_ROOM, values).fetchone()
        if count:
            found[at] = replace(found[at], without_room=WithoutRoom(count, newest))
    return found
