"""Faults of a request: each wrong field, and its code."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from schemas.records.codes import Code
from schemas.records.fields import About

MAX_FAULTS = 20
"""The most wrong fields in an answer."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong field of a request.

    ``field`` is its name in JSON, such as ``view.select[0].css``; for a rule about several, their
    names have commas between them. An empty ``reason`` stands for the message of the code.

    >>> Fault(Code.INVALID_FORMAT, "interval", "1 to 9 are allowed").detail
    'interval: 1 to 9 are allowed'
    """

    code: Annotated[int, About("That of the REST answer.")]
    field: Annotated[str, About("What JSON calls the field.")]
    reason: Annotated[str, About("What is allowed; empty if the code says it all.")]

    @property
    def detail(self) -> str:
        """An addition of an answer to the code's message."""
        return f"{self.field}: {self.reason}" if self.code == Code.INVALID_FORMAT else self.reason

    @property
    def top(self) -> str:
        """The outer field of the request; both of a receiver are the same."""
        name = self.field.partition(",")[0].partition(".")[0].partition("[")[0]
        return "receiver" if name in {"clientUrl", "session"} else name

    def as_json(self) -> dict[str, str]:
        """Return the fault as listed in REST."""
        reason = self.reason or Code(self.code).message
        return {"code": str(int(self.code)), "field": self.field, "reason": reason}


@dataclass(frozen=True, slots=True)
class Refusal:
    """The refusal of a request: the REST code, a detail for people, and the fields to correct."""

    code: Code
    detail: str = ""
    faults: tuple[Fault, ...] = ()


def format_fault(text: str) -> Fault:
    """Return the fault of a text, which begins with the field's name.

    >>> format_fault("interval: a whole number is allowed").field
    'interval'
    """
    field, _, reason = text.partition(": ")
    return Fault(Code.INVALID_FORMAT, field, reason)


_ORDER = (
    Code.INVALID_FORMAT,
    Code.INVALID_DOCUMENT_URL,
    Code.INVALID_CLIENT_URL,
    Code.NO_KEYWORD,
    Code.NOTHING_TO_REPORT,
)


def refusal_by(faults: Iterable[Fault]) -> Refusal:
    """Return the refusal for at least one fault.

    The first by the order of the checks has the code; of two about a field the first is listed.
    """
    by_field: dict[str, Fault] = {}
    for each in sorted(faults, key=lambda each: _ORDER.index(Code(each.code))):
        by_field.setdefault(each.field, each)
    listed = tuple(by_field.values())[:MAX_FAULTS]
    return Refusal(Code(listed[0].code), listed[0].detail, listed)
