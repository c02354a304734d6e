"""The Avro schemas of the records, generated from their dataclasses."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass
from typing import Any, get_args, get_origin

from msgspec import to_builtins

from schemas.codec.compatibility import unreadable_reason
from schemas.codec.versions import KINDS, schema_fingerprint
from schemas.records.fields import RecordField, record_fields

NAMESPACE = "vokter"
_PLAIN = {str: "string", bytes: "bytes", int: "long", bool: "boolean"}


class IncompatibleSchemaError(ValueError):
    """A record and a released version of the record could not read each other."""


def generated(found: Mapping[str, str], released: Mapping[str, str]) -> dict[str, str]:
    """Return the text of every ``.avsc`` file by its name, ``NAME.VERSION.avsc``.

    ``found`` is the content of the folder, ``released`` the fingerprint of each released version by
    ``NAME.VERSION``. A released version stays unchanged; a record changed since gets the next
    version. Raises IncompatibleSchemaError.
    """
    files: dict[str, str] = {}
    for kind in KINDS:
        files |= _versions(kind, found, released)
    return files


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the Avro schema of a record; an inner record is spelled out at its first mention.

    >>> from schemas.records.table_rows import TickedThrough
    >>> schema_of(TickedThrough)["fields"]
    [{'name': 'time', 'type': 'long'}]
    """
    schema: dict[str, Any] = _record(kind, set())
    return schema


def _versions(
    kind: type[Any], found: Mapping[str, str], released: Mapping[str, str]
) -> dict[str, str]:
    older: dict[str, str] = {}
    while (name := f"{kind.__name__}.{len(older) + 1}") in released:
        older[name] = found[f"{name}.avsc"]
    source = schema_of(kind)
    text = json.dumps(source, indent=2) + "\n"
    for name, other in older.items():
        reason = unreadable_reason(text, other) or unreadable_reason(other, text)
        if reason:
            raise IncompatibleSchemaError(
                f"{kind.__name__} is not compatible with {name}, which is released: {reason}. "
                "Give a new field a default, and keep the names and types of the others."
            )
    last = f"{kind.__name__}.{len(older)}"
    # Documentation and defaults may change: the fingerprint, by which messages name their
    # schema, stays the same.
    is_same = released.get(last) == schema_fingerprint(source)
    newest = last if is_same else f"{kind.__name__}.{len(older) + 1}"
    return {f"{name}.avsc": content for name, content in (older | {newest: text}).items()}


def _record(kind: type[Any], named: set[str]) -> Any:
    assert is_dataclass(kind), f"{kind} has no form in Avro"
    name = kind.__name__
    if name in named:
        return f"{NAMESPACE}.{name}"
    named.add(name)
    text, _, _ = (kind.__doc__ or "").partition(">>>")
    parts = [_field(each, named) for each in record_fields(kind)]
    return {
        "type": "record",
        "name": name,
        "namespace": NAMESPACE,
        "doc": " ".join(text.replace("``", "").split()),
        "fields": parts,
    }


def _field(field: RecordField, named: set[str]) -> dict[str, Any]:
    kind = _type(field.type, named)
    written: dict[str, Any] = {"name": field.name}
    if field.about.meaning:
        written["doc"] = field.about.meaning
    written["type"] = ["null", kind] if field.is_optional else kind
    if field.default is not MISSING:
        # Through JSON, which knows no tuples: neither does Avro.
        return written | {"default": json.loads(json.dumps(to_builtins(field.default)))}
    return written | ({"default": None} if field.is_optional else {})


def _type(hint: Any, named: set[str]) -> Any:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0], named)}
    return _record(hint, named)
