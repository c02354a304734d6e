"""Check the limits of records, by functions generated from their fields.

Every read message is checked: a loop over the fields takes three times as long.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin

from schemas.records.fields import RecordField, record_fields

Check = Callable[[Any], str | None]
"""Returns the limit broken by a record, None for a valid record."""


def checker(kind: Any, rules: Mapping[type[Any], Check]) -> Check:
    """Return the check of a kind of record: its fields, its rule, and its inner records.

    ``rules`` concern several fields of a kind.

    >>> from schemas.records.fetches import Due
    >>> checker(Due, {})(Due("http://a.example/", "w", slot=-1))
    'slot: a time from 1970 to 9999, in ms'
    """
    called: dict[str, Any] = {}
    lines: list[str] = []
    for each in record_fields(kind):
        if each.is_limited:
            name = each.name
            called[f"allows_{name}"] = each.allows
            called[f"fault_{name}"] = f"{name}: {each.allowed}"
            quick = _quick(each, called)
            lines.append(f"value = record.{name}")
            lines.append(f"if not ({quick}) and not allows_{name}(value): return fault_{name}")
    if kind in rules:
        called["rule"] = rules[kind]
        lines += ["found = rule(record)", "if found is not None: return found"]
    for each in record_fields(kind):
        lines += _inner(each, called, rules)
    source = "\n    ".join(["def check(record):", *lines, "return None"])
    exec(source, called)  # noqa: S102 - of our own records, and as dataclasses does for fields
    found: Check = called["check"]
    return found


def _quick(field: RecordField, called: dict[str, Any]) -> str:
    """Return an expression false for every invalid value of a field.

    Other values are left to ``allows``. ``called`` gets the functions in the expression.
    """
    about = field.about
    if field.is_optional:
        return "value is None"
    if get_origin(field.type) is tuple:
        return "not value"
    if field.type is int and about.most is not None:
        return f"{about.least or 0} <= value <= {about.most}"
    if field.type not in (str, bytes) or about.choices:
        return "False"
    tests = [] if about.most is None else [f"{about.least or 0} <= len(value) <= {about.most}"]
    if about.printable:
        tests.append("value.isprintable()")
    if about.pattern is not None:
        called[f"matches_{field.name}"] = about.pattern.fullmatch
        tests.append(f"matches_{field.name}(value)")
    return " and ".join(tests)


def _inner(
    field: RecordField, called: dict[str, Any], rules: Mapping[type[Any], Check]
) -> Iterator[str]:
    """Yield the lines to check the records in a field."""
    kind = next((each for each in (field.type, *get_args(field.type)) if is_dataclass(each)), None)
    if kind is None:
        return
    called[f"check_{field.name}"] = checker(kind, rules)
    value = f"record.{field.name}"
    yield f"for value in {value if kind is not field.type else f'({value},)'}:"
    yield f"    found = None if value is None else check_{field.name}(value)"
    yield "    if found is not None: return found"
