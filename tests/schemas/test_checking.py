"""What is checked by written functions is what the fields of a record allow."""

from dataclasses import dataclass, is_dataclass, make_dataclass
from itertools import chain
from typing import Any, get_args

import pytest

from schemas.codec.checking import checker
from schemas.records.facts import Fact
from schemas.records.fields import RecordField, record_fields
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options

RECORDS = [*get_args(Fact), Subscribe, Options]
LENGTHS = (0, 1, 20, 200, 201, 256, 257, 300, 301, 2_048, 2_049, 10_000, 10_001)
TEXTS = (
    *("x" * length for length in LENGTHS),
    *("http://d.test/", "HTTP://d.test/", "http://d.test/é", "http://d.test/" + "x" * 2_048),
    *("pages:all", "channel:mail", "pages:", "ok", "added", "edited", "sentence", "a\nb", "é"),
)
NUMBERS = sorted(
    {number + by for number in (0, 1, 20, 100, 400, 599, 1_000, 2**31) for by in (-1, 0, 1)}
)


@dataclass(frozen=True)
class Inner:
    number: int


@dataclass(frozen=True)
class Outer:
    one: Inner
    many: tuple[Inner, ...]
    none: Inner | None


def values(field: RecordField) -> list[Any]:
    """Values of the field's type: at its limits, beyond them, and of other forms."""
    if field.type is bytes:
        most = field.about.most or 0
        return [b"", b"x", b"x" * most, b"x" * (most + 1)]
    one: list[Any] = [*TEXTS] if str in (field.type, *get_args(field.type)) else [*NUMBERS]
    limits = [each for each in (field.about.least, field.about.most) if each is not None]
    if int in (field.type, *get_args(field.type)):
        one += [limit + by for limit in limits for by in (-1, 0, 1)]
    if field.type not in (int, str):
        most = field.about.most_items or 1
        one = [(), *((each,) for each in one), one[:1] * most, one[:1] * (most + 1)]
        one = [tuple(each) for each in one]
    return [*one, None] if field.is_optional else one


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_a_written_check_lets_through_what_each_field_allows_and_nothing_else(kind: Any) -> None:
    for field in filter(_is_plain, record_fields(kind)):
        alone = make_dataclass("Alone", [(field.name, _hint(kind, field.name))])
        check = checker(alone, {})
        for value in values(field):
            expected = None if field.allows(value) else f"{field.name}: {field.allowed}"
            assert check(alone(value)) == expected, (field.name, value)


def test_records_inside_a_record_are_checked_each_by_its_rule() -> None:
    check = checker(Outer, {Inner: lambda each: "number: less" if each.number > 1 else None})
    wrong = [
        Outer(Inner(2), (), None),
        Outer(Inner(1), (Inner(1), Inner(2)), None),
        Outer(Inner(1), (), Inner(2)),
    ]
    assert [check(each) for each in wrong] == ["number: less"] * 3
    assert check(Outer(Inner(1), (Inner(1), Inner(1)), None)) is None


def _is_plain(field: RecordField) -> bool:
    return field.is_limited and not any(map(is_dataclass, get_args(field.type)))


def _hint(kind: Any, name: str) -> Any:
    fields = chain.from_iterable(each.__annotations__.items() for each in kind.__mro__[:-1])
    return dict(fields)[name]
