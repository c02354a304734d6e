"""A value that is pickled for another process is there the same."""

import pickle
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from connectors.processes.pickling import pickled
from schemas.records.answers import Response
from schemas.records.documents import Document
from schemas.records.views import Quote, Selector, View, WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage

VIEW = View(select=(Selector(css="p"), Selector(quote=Quote("Zeus"))), on_status=(404,))
RECORDS = (
    Document("u", "w", 7, text="Zeus \ud800", unpublished=(b"Hera",), confidence=0.5),
    DueView("u", "w", 7, WatchedView("v", VIEW), managers=("m",)),
    FetchedPage(Response(200, b"<p>Zeus", url="u"), b"hash", 7),
)


def sent(value: object) -> Any:
    """Return what another process gets."""
    return pickle.loads(pickled(value))  # noqa: S301 - our own


@dataclass(frozen=True, slots=True)
class Counted:
    """Has a field that is computed."""

    text: str
    size: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", self.size + len(self.text))


@dataclass(frozen=True, slots=True)
class Named:
    """Is made with its second value by name."""

    text: str
    size: int = field(kw_only=True)


@dataclass
class Open:
    """Has more than its fields."""

    text: str


@dataclass(frozen=True, slots=True)
class Single:
    """Has one field, which may be a tuple."""

    values: tuple[str, ...]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_and_what_is_in_it_stay_what_they_are(record: object) -> None:
    found = sent([record, record])
    assert found == [record, record]
    assert found[0] is found[1]
    assert len(pickled(record)) <= len(pickle.dumps(record))


@pytest.mark.parametrize("value", [Counted("Zeus"), Named("a", size=3), Single(("a", "b")), 1j])
def test_other_objects_are_pickled_as_python_does_it(value: object) -> None:
    assert sent(value) == value


def test_an_object_with_more_than_its_fields_keeps_it() -> None:
    value = Open("Zeus")
    value.__dict__["more"] = re.compile("a")
    assert sent(value).__dict__ == value.__dict__


def test_what_cannot_be_pickled_is_refused() -> None:
    with pytest.raises((AttributeError, TypeError, pickle.PicklingError)):
        pickled(lambda: None)
