"""The rows of a fact, for any store, and pages of such facts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from connectors.stores import cursor
from connectors.stores.packing import (
    client_subject,
    crawl_of,
    history_key,
    left_out_id,
    page_fact_id,
    parse_fact,
    unpack,
    unpack_fact,
    waiting_key_of,
)
from connectors.stores.pages import ListedSubscription, ListingPage
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import MANAGER_IS_FULL
from schemas.records.facts import Fact
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    PageAdded,
    PageRemoved,
    Subscribed,
    SubscriptionFact,
)

Operation = TypeVar("Operation")
Terms = Callable[[DocumentChanged], str]
"""Returns the terms by which a change is found, with blanks between."""
COVERED, REMOVED = "page", "removed_page"
"""The kinds of facts about pages of crawls."""
NO_ROOM = "no_room"
"""The reasons of REMOVED without room for a manager: counted as this kind, too."""
MAX_PAGE = 1_000_000
"""Compressed bytes of a page, except for a larger row."""
MAX_PAGE_TEXT = 16_000_000
"""Characters of a page, likewise: repeated text compresses to a thousandth."""


def no_terms(_: DocumentChanged) -> str:
    """Return no terms: the change is not found."""
    return ""


@dataclass(frozen=True, slots=True)
class RowOperations(Generic[Operation]):
    """The writes of a store; each returns a repeatable operation.

    ``watch`` updates the watch of a document, ``begin`` a subscription. ``end`` takes the fact, the
    state and the reason; ``note`` the kind, the id, the subject of the fact, the fact, and its
    search terms. ``drop`` deletes the notes up to a time, by kind and id.
    """

    watch: Callable[[SubscriptionFact], Operation]
    begin: Callable[[Subscribed], Operation]
    end: Callable[[Cancelled | Expired, str, str | None], Operation]
    note: Callable[[str, str, str, Any, str], Operation]
    drop: Callable[[str, str, int], Operation]

    def operations(self, facts: Sequence[Fact], terms: Terms = no_terms) -> list[Operation]:
        """List the writes for these facts, in order; slow for large changes."""
        return [operation for fact in facts for operation in self._of(fact, terms)]

    def _of(self, fact: Fact, terms: Terms) -> Iterator[Operation]:
        if isinstance(fact, SubscriptionFact):
            yield self.watch(fact)
        match fact:
            case Subscribed():
                yield self.begin(fact)
            case Cancelled():
                yield self.end(fact, "cancelled", None)
            case Expired():
                yield self.end(fact, "expired", fact.reason)
        if isinstance(fact, PageAdded | PageRemoved):
            yield from self._page(fact)
        elif key := history_key(fact):
            yield self.note(*key, fact, terms(fact) if isinstance(fact, DocumentChanged) else "")

    def _page(self, fact: PageAdded | PageRemoved) -> Iterator[Operation]:
        """List a page with the pages covered by a crawl, or with those removed."""
        key = history_key(fact)
        assert key is not None, "pages of crawls are recorded"
        kind, name, _ = key
        crawl = crawl_of(fact)
        covered, left_out = page_fact_id(crawl, fact.url), left_out_id(crawl, fact.url)
        yield self.drop(REMOVED if kind == COVERED else COVERED, covered, fact.at)
        if name != left_out:
            yield self.drop(REMOVED, left_out, fact.at)
        if isinstance(fact, PageRemoved) and fact.reason == MANAGER_IS_FULL:
            yield self.note(NO_ROOM, left_out, key[2], fact, "")
        elif kind == COVERED or name == left_out:
            yield self.drop(NO_ROOM, left_out, fact.at)
        yield self.note(*key, fact, "")


def with_waiting(
    items: Sequence[ListedSubscription], packed: Mapping[str, bytes]
) -> list[ListedSubscription]:
    """Add waiting edits to subscriptions, by the keys of the edits.

    The waits of an earlier watch of a page are not theirs.
    """
    found = []
    for each in items:
        row = packed.get(waiting_key_of(each.subscription) or "")
        waiting = None if row is None else unpack_fact(row)
        is_theirs = waiting is not None and waiting.watch == each.subscription.watch
        found.append(replace(each, waiting=waiting) if is_theirs else each)
    return found


def crawl_subject_of(listed: ListedSubscription) -> str | None:
    """Return the subject of the pages of a subscription's crawl, None without a crawl."""
    subscription = listed.subscription
    if subscription.options.crawl is None or listed.ended is not None:
        return None
    return client_subject(subscription.manager, subscription.id)


class FactPage:
    """A page of recorded facts, filled row by row."""

    def __init__(self, limit: int) -> None:
        """Begin empty; ``limit`` is the maximum of rows."""
        self._limit = limit
        self._rows: list[tuple[int, str, bytes]] = []
        self._size = 0
        self._is_last = True

    def add(self, at: int, fact_id: str, packed: bytes) -> bool:
        """Add a row if there is room, and return whether there was; the first row always fits."""
        self._size += len(packed)
        is_full = len(self._rows) == self._limit or (self._rows and self._size > MAX_PAGE)
        if is_full:
            self._is_last = False
            return False
        self._rows.append((at, fact_id, packed))
        return True

    def page(self, last: tuple[int, str] | None = None) -> ListingPage[Any]:
        """Unpack the rows; slow for large changes.

        ``last`` is the time and id of the last row read, if there may be others.
        """
        items: list[Any] = []
        size = 0
        for _, _, packed in self._rows:
            text = unpack(packed)
            size += len(text)
            if items and size > MAX_PAGE_TEXT:
                break
            items.append(parse_fact(text))
        is_last = self._is_last and len(items) == len(self._rows)
        end = last if is_last else self._rows[len(items) - 1][:2]
        return ListingPage(tuple(items), None if end is None else cursor.written(*end))
