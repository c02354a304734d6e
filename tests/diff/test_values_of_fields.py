"""Values of fields, of which others have the new one or the old one as well."""

import json

from connectors.readers.reading import read_document
from tests.fakes.changed import Told, changed


def changed_records(old: list[dict[str, str]], new: list[dict[str, str]]) -> list[Told]:
    before, after = (
        read_document(json.dumps(each).encode(), None, "application/json").text
        for each in (old, new)
    )
    return changed(before, after)


def release(name: str, version: str, day: str) -> dict[str, str]:
    return {"name": name, "version": version, "day": day, "support": "full"}


def test_a_value_that_another_record_has_is_told_where_it_is_new() -> None:
    other = release("next", "9.0", "2026-06-10")
    old = [other, release("old", "8.1", "2026-05-13")]
    new = [other, release("old", "8.2", "2026-06-10")]
    assert changed_records(old, new) == [
        ("edited", "version: [8.1]", "version: [8.2]"),
        ("edited", "day: [2026-05-13]", "day: [2026-06-10]"),
    ]
    assert changed_records(new, old) == [
        ("edited", "version: [8.2]", "version: [8.1]"),
        ("edited", "day: [2026-06-10]", "day: [2026-05-13]"),
    ]


def test_values_of_records_that_changed_places_are_not_told() -> None:
    first, second = release("next", "9.0", "2026-06-10"), release("old", "8.1", "2026-05-13")
    third = release("older", "7.5", "2026-04-01")
    new = [release("newest", "10.0", "2026-07-07"), second, first]
    told = [each for each in changed_records([first, second, third], new) if each[0] != "moved"]
    assert not [each for each in told if "8.1" in str(each) or "05-13" in str(each)]


def test_fields_of_the_only_record_that_stayed_are_not_told() -> None:
    record = "Name: Lamp\nSize: {}\nState: {}\nColour: {}"
    assert changed(
        record.format("small", "open", "red"), record.format("big", "closed", "blue")
    ) == [
        ("edited", "Size: [small]", "Size: [big]"),
        ("edited", "State: [open]", "State: [closed]"),
        ("edited", "Colour: [red]", "Colour: [blue]"),
    ]
