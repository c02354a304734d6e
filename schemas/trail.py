"""Which of the ids that lead through the stages a record tells; docs/logs.md has their meaning."""

from schemas.facts import DocumentChanged, DocumentUnreachable, Notification

NAMES = ("request_id", "watch", "subscription", "change", "notification")


def trail(record: object) -> dict[str, str]:
    """Give the ids in a record by the names that they have in every line of the logs."""
    found = {name: _id(getattr(record, name, None)) for name in NAMES}
    if isinstance(record, Notification):
        found["notification"] = record.id
    if isinstance(record, DocumentChanged | DocumentUnreachable):
        found["change"] = record.id
    return {name: value for name, value in found.items() if value}


def _id(value: object) -> str | None:
    return value if isinstance(value, str) else getattr(value, "id", None)
