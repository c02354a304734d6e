"""Records that differ from another one in a few fields, wherever the fields are nested."""

from dataclasses import fields, replace
from typing import Any, TypeVar

from schemas.records.notifications import Notification
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription

R = TypeVar("R", Notification, Subscribe, Subscription)


def varied(record: R, **values: Any) -> R:
    """Replace fields of a record, those of its receiver and its options among them."""
    for name in ("receiver", "options"):
        inner = getattr(record, name, None)
        if inner is not None:
            names = {each.name for each in fields(inner)} & values.keys()
            values[name] = replace(inner, **{each: values.pop(each) for each in names})
    return replace(record, **values)
