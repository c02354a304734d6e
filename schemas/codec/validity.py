"""Rules for facts beyond their schemas, so agents can rely on them.

Requests are not checked here: the register answers them with a code. Rows of tables are not checked
either: their own agent wrote them.
"""

from collections.abc import Hashable
from dataclasses import fields
from functools import cache
from typing import Any, get_args

from schemas.codec.checking import Check, checker
from schemas.records.changes import Place, Region, Sentence
from schemas.records.field_types import is_url
from schemas.records.rendering import Step, WaitFor
from schemas.records.requests import ClientRequest
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    PageAdded,
    PageRemoved,
    Rejected,
    Subscribed,
)
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.table_rows import State
from schemas.records.urls import canonical
from schemas.records.views import Selector


def _names_what_is_watched(
    fact: Subscribed | Cancelled | Rejected | Expired | PageAdded | PageRemoved,
) -> str | None:
    # A request for a URL that is none is rejected under the URL that it gave.
    is_right = fact.watch is None or is_url(fact.url)
    return None if is_right else "url: an http or https URL"


def _is_one_receiver(receiver: Receiver) -> str | None:
    is_one = (receiver.client_url is None) != (receiver.session is None)
    return None if is_one else "client_url, session: exactly one of them"


def _is_one_selector(selector: Selector) -> str | None:
    chosen = [field for field in fields(Selector) if getattr(selector, field.name) is not None]
    names = ", ".join(field.name for field in fields(Selector))
    return None if len(chosen) == 1 else f"{names}: exactly one of them"


def _is_one_step(step: Step) -> str | None:
    if len(step.kinds()) != 1:
        return "goto, click, fill, press, wait, scroll, dismiss: exactly one of them"
    if step.goto is not None and canonical(step.goto) is None:
        return "goto: an http or https URL"
    if step.value and step.secret:
        return "value, secret: one of them"
    writes = step.value or step.secret
    return "value, secret: only with fill" if writes and step.fill is None else None


def _waits_for_something(wanted: WaitFor) -> str | None:
    something = "selector, text, networkIdle, seconds: at least one of them"
    return something if wanted == WaitFor() else None


def _is_within_its_places(region: Region) -> str | None:
    for each in region.edits:
        sides = each.removed is not None, each.added is not None
        if sides != (each.change != "added", each.change != "removed"):
            return "edits: the sides that their change has"
    for each in region.edits:
        for place, sentence in ((region.removed, each.removed), (region.added, each.added)):
            if sentence is not None and not _is_in(place, sentence):
                return "edits: characters of their place"
    return None


def _is_in(place: Place | None, sentence: Sentence) -> bool:
    if place is None or not 0 <= sentence.start < sentence.end <= len(place.text):
        return False
    at = sentence.start
    for span in sentence.changed:
        if not at <= span.start < span.end <= sentence.end:
            return False
        at = span.end
    return True


_RULES: dict[type[Any], Check] = {
    **dict.fromkeys(
        (Subscribed, Cancelled, Rejected, Expired, PageAdded, PageRemoved), _names_what_is_watched
    ),
    Receiver: _is_one_receiver,
    Selector: _is_one_selector,
    Step: _is_one_step,
    WaitFor: _waits_for_something,
    Subscription: lambda asked: None if asked.keywords else "keywords: at least one",
    Region: _is_within_its_places,
}
"""Rules about several fields of a record; each returns the allowed, None if all is well."""

_UNCHECKED = frozenset(get_args(ClientRequest) + get_args(State))


def fault(record: Any) -> str | None:
    """Return the rule broken by a fact, None for a valid fact.

    >>> from schemas.records.fetches import Due
    >>> fault(Due("http://a.example/", "w", slot=-1))
    'slot: a time from 1970 to 9999, in ms'
    """
    kind: Any = type(record)
    return None if kind in _UNCHECKED else _checker(kind)(record)


@cache
def _checker(kind: Hashable) -> Check:
    return checker(kind, _RULES)
