"""Connect to the SQLite file, and bring its tables to the present version."""

import sqlite3
from contextlib import closing
from pathlib import Path

from connectors.stores.errors import StoreRefused

BUSY_TIMEOUT_S = 5.0
_HAS_FTS5 = "SELECT 1 FROM pragma_module_list WHERE name = 'fts5'"

# The words of changes are in an index that has no copy of them. The place of a change in it is by
# time, with room for 1024 of a millisecond; those beyond are not found.
_PLACED = """
        INSERT INTO searched SELECT place, NEW.number FROM (
            SELECT coalesce(max(place) + 1, NEW.at << 10) AS place FROM searched
            WHERE place BETWEEN NEW.at << 10 AND (NEW.at << 10) + 1023
        ) WHERE place <= (NEW.at << 10) + 1023;
        INSERT INTO search (rowid, words) SELECT place, NEW.words FROM searched
        WHERE place BETWEEN NEW.at << 10 AND (NEW.at << 10) + 1023 AND fact = NEW.number;
"""
_REMOVED = """
        INSERT INTO search (search, rowid, words) SELECT 'delete', place, OLD.words FROM searched
        WHERE place BETWEEN OLD.at << 10 AND (OLD.at << 10) + 1023 AND fact = OLD.number;
        DELETE FROM searched
        WHERE place BETWEEN OLD.at << 10 AND (OLD.at << 10) + 1023 AND fact = OLD.number;
"""
_FIRST = f"""
    CREATE TABLE identity (id TEXT NOT NULL);
    INSERT INTO identity VALUES (lower(hex(randomblob(16))));
    CREATE TABLE copying (state TEXT NOT NULL);

    CREATE TABLE documents (
        url TEXT NOT NULL, view TEXT NOT NULL, watch TEXT NOT NULL, slot INTEGER NOT NULL,
        version INTEGER NOT NULL, content_type TEXT, language TEXT, etag TEXT,
        last_modified TEXT, body_hash BLOB, failures INTEGER NOT NULL, last_error TEXT,
        drift INTEGER NOT NULL, read_at INTEGER NOT NULL, past BLOB NOT NULL,
        flapping_until INTEGER NOT NULL, held BLOB NOT NULL, asks_password INTEGER NOT NULL,
        title TEXT NOT NULL, missing TEXT, misses INTEGER NOT NULL, lost TEXT NOT NULL,
        missing_since INTEGER NOT NULL, confidence REAL, text BLOB, picture BLOB,
        earlier_picture BLOB, earlier_read_at INTEGER NOT NULL, series BLOB NOT NULL,
        reader TEXT NOT NULL, body BLOB, links BLOB NOT NULL,
        PRIMARY KEY (url, view)
    );
    CREATE INDEX documents_by_failures ON documents (failures);
    CREATE INDEX documents_by_flapping ON documents (flapping_until);
    CREATE INDEX documents_lost ON documents (missing_since) WHERE lost <> '';
    CREATE TABLE unpublished (
        url TEXT NOT NULL, view TEXT NOT NULL, version INTEGER NOT NULL,
        number INTEGER NOT NULL, record BLOB NOT NULL, PRIMARY KEY (url, view, number)
    );
    CREATE TABLE checks (
        url TEXT PRIMARY KEY, watch TEXT NOT NULL, at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE waits (
        url TEXT PRIMARY KEY, watch TEXT NOT NULL, since INTEGER NOT NULL, reason TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX waits_by_time ON waits (since);
    CREATE TABLE snapshots (
        url TEXT NOT NULL, view TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
        content_type TEXT, language TEXT, text BLOB NOT NULL, reader TEXT NOT NULL, body BLOB,
        PRIMARY KEY (url, view, at)
    );
    CREATE INDEX snapshots_by_end ON snapshots (until);

    CREATE TABLE watches (
        url TEXT PRIMARY KEY, at INTEGER NOT NULL, id TEXT, interval INTEGER
    ) WITHOUT ROWID;
    CREATE INDEX watches_ended ON watches (at) WHERE id IS NULL;
    CREATE TABLE subscriptions (
        id TEXT PRIMARY KEY, manager TEXT NOT NULL, url TEXT NOT NULL, receiver TEXT NOT NULL,
        view TEXT NOT NULL, created INTEGER NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL,
        reason TEXT, ended INTEGER, body TEXT NOT NULL
    );
    CREATE INDEX subscriptions_listed ON subscriptions (manager, created, id);
    CREATE INDEX subscriptions_by_receiver ON subscriptions (manager, url, receiver);
    CREATE INDEX subscriptions_by_page ON subscriptions (url, view, created) WHERE ended IS NULL;
    CREATE INDEX subscriptions_active ON subscriptions (manager) WHERE ended IS NULL;
    CREATE INDEX subscriptions_ended ON subscriptions (ended) WHERE ended IS NOT NULL;
    CREATE TABLE subscription_tags (
        manager TEXT NOT NULL, tag TEXT NOT NULL, created INTEGER NOT NULL, id TEXT NOT NULL,
        in_use INTEGER NOT NULL, PRIMARY KEY (manager, tag, created, id)
    ) WITHOUT ROWID;
    CREATE INDEX tags_in_use ON subscription_tags (manager, tag) WHERE in_use;
    CREATE TRIGGER tags_added AFTER INSERT ON subscriptions BEGIN
        INSERT OR REPLACE INTO subscription_tags
        SELECT NEW.manager, value, NEW.created, NEW.id, NEW.ended IS NULL
        FROM json_each(NEW.body, '$.options.tags');
    END;
    CREATE TRIGGER tags_removed AFTER DELETE ON subscriptions BEGIN
        DELETE FROM subscription_tags WHERE manager = OLD.manager AND created = OLD.created
        AND id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.body, '$.options.tags'));
    END;
    CREATE TRIGGER tags_changed AFTER UPDATE ON subscriptions BEGIN
        DELETE FROM subscription_tags WHERE manager = OLD.manager AND created = OLD.created
        AND id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.body, '$.options.tags'));
        INSERT INTO subscription_tags
        SELECT NEW.manager, value, NEW.created, NEW.id, NEW.ended IS NULL
        FROM json_each(NEW.body, '$.options.tags');
    END;
    CREATE TABLE facts (
        number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL,
        at INTEGER NOT NULL, manager TEXT NOT NULL, tags TEXT NOT NULL, words TEXT NOT NULL,
        fact BLOB NOT NULL, UNIQUE (kind, id)
    );
    CREATE INDEX news ON facts (manager, at, id) WHERE kind = 'notification';
    CREATE INDEX facts_by_subject ON facts (kind, subject, at, id);
    CREATE INDEX facts_by_time ON facts (at);
    CREATE VIRTUAL TABLE search USING fts5 (
        words, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars ''''"
    );
    CREATE TABLE searched (place INTEGER PRIMARY KEY, fact INTEGER NOT NULL);
    CREATE TRIGGER words_added AFTER INSERT ON facts WHEN NEW.kind = 'change' BEGIN
        {_PLACED}
    END;
    CREATE TRIGGER words_removed AFTER DELETE ON facts WHEN OLD.kind = 'change' BEGIN
        {_REMOVED}
    END;
    CREATE TRIGGER words_changed AFTER UPDATE ON facts
    WHEN NEW.kind = 'change' AND (OLD.words, OLD.at) <> (NEW.words, NEW.at) BEGIN
        {_REMOVED} {_PLACED}
    END;
    CREATE TABLE credentials (
        manager TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, sent_to TEXT NOT NULL,
        set_at INTEGER NOT NULL, used_at INTEGER, version INTEGER NOT NULL, sealed BLOB NOT NULL,
        PRIMARY KEY (manager, name)
    );
"""  # noqa: S608 - our own parts
# The script at index n brings a file from version n to n + 1. From the first release on,
# scripts are only ever added: files of every version are out there.
_MIGRATIONS = (_FIRST,)
VERSION = len(_MIGRATIONS)
"""The version of a file's tables."""
MAX_JOURNAL = 4 * 1024 * 1024
"""Bytes that the log of writes keeps once all of it is in the file; a large write may need more."""


def connect(path: Path) -> sqlite3.Connection:
    """Connect so that a finished commit survives a power loss.

    The caller begins and ends transactions, also in other threads.
    """
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA journal_size_limit = {MAX_JOURNAL}")
    connection.execute("PRAGMA recursive_triggers = ON")  # a row that is replaced is deleted
    connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone stops at the drive's cache
    return connection


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables, or bring them to this version; each step is a transaction.

    Raises StoreRefused if a later release wrote the file, or this SQLite has no FTS5.
    """
    if connection.execute(_HAS_FTS5).fetchone() is None:
        raise StoreRefused(
            f"Refused: the SQLite {sqlite3.sqlite_version} of this Python has no FTS5, with which "
            f"{path} finds words in changes. Use another Python, or a MongoDB store."
        )
    version = _version(connection)
    if version > len(_MIGRATIONS):
        raise StoreRefused(f"Refused: {path} was written by a later release; use that release.")
    for number, script in enumerate(_MIGRATIONS[version:], start=version + 1):
        connection.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


def version_of(path: Path) -> int:
    """Read the version of the tables of an existing file, which is not changed."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return _version(connection)


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
