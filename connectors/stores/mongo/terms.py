"""Terms of changes in rows: a list, of which the server has an index."""

from connectors.stores.mongo.database import Row


def with_terms(kind: str, row: Row) -> Row:
    """Return a row of facts with the terms of a change as a list, in place of its words.

    >>> with_terms("change", {"words": "giant zeus"})
    {'words': '', 'terms': ['giant', 'zeus']}
    """
    return {**row, "words": "", "terms": row["words"].split()} if kind == "change" else row


def with_words(row: Row) -> Row:
    """Return a row of facts with its terms as words again."""
    terms = row.get("terms")
    return row if terms is None else {**row, "words": " ".join(terms)}
