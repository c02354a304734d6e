"""Write the Avro schemas from the dataclasses: ``make schemas``."""

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import to_builtins

from schemas.wire import KINDS

FOLDER = Path(__file__).with_name("avro")
NAMESPACE = "vokter"
_PLAIN = {str: "string", int: "long", bool: "boolean"}


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """Return the Avro schema of a record; one that it holds is spelled out where it comes first."""
    schema: dict[str, Any] = _type(kind, set())
    return schema


def text_of(kind: type[Any]) -> str:
    """Return the content of a record's ``.avsc`` file."""
    return json.dumps(schema_of(kind), indent=2) + "\n"


def _type(hint: Any, named: set[str]) -> Any:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, UnionType):
        return ["null", _type(get_args(hint)[0], named)]
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _type(get_args(hint)[0], named)}
    return _record(hint, named)


def _record(kind: type[Any], named: set[str]) -> Any:
    assert is_dataclass(kind), f"{kind} has no form in Avro"
    name = kind.__name__
    if name in named:
        return f"{NAMESPACE}.{name}"
    named.add(name)
    doc = " ".join((kind.__doc__ or "").replace("``", "").split())
    hints = get_type_hints(kind)
    parts = [_field(each, hints[each.name], named) for each in fields(kind)]
    return {"type": "record", "name": name, "namespace": NAMESPACE, "doc": doc, "fields": parts}


def _field(field: "Field[Any]", hint: Any, named: set[str]) -> dict[str, Any]:
    written = {"name": field.name, "type": _type(hint, named)}
    if field.default is not MISSING:
        return written | {"default": to_builtins(field.default)}
    return written | ({"default": None} if isinstance(hint, UnionType) else {})


def main() -> None:
    """Write version 1 of every record."""
    for kind in KINDS:
        (FOLDER / f"{kind.__name__}.1.avsc").write_text(text_of(kind), "utf-8")


if __name__ == "__main__":
    main()
