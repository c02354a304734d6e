"""The ids in a record by which a change can be followed through the logs; see docs/logs.md."""

from schemas.records.changes import Change
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import Rejected

NAMES = ("request_id", "watch", "subscription", "change", "notification")


def trail(record: object) -> dict[str, str]:
    """Return the ids in a record by their names in the logs.

    >>> from schemas.records.deliveries import Attempt
    >>> trail(Attempt("5eed", made=1))
    {'notification': '5eed'}
    """
    values = {name: getattr(record, name, None) for name in NAMES}
    found = {
        name: value if isinstance(value, str) else getattr(value, "id", None)
        for name, value in values.items()
    }
    if isinstance(record, Notification):
        found["notification"] = record.id
    if isinstance(record, Change):
        found["change"] = record.id
    return {name: value for name, value in found.items() if value}


def repeatable(fact: object) -> dict[str, str]:
    """Return the cause of a line about a rejected request, which may repeat quickly.

    Such a line is written once a minute for each manager and code; others have no cause.
    """
    if not isinstance(fact, Rejected):
        return {}
    return {"once_a_minute": f"{fact.manager}: {fact.code}"}
