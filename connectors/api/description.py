"""GET /openapi.json: the API's description in OpenAPI 3.1.

``openapi.yaml`` has everything but the options of a subscription, which follow from their
dataclass. ``make schemas`` writes all of the description to ``docs/openapi.yaml``.
"""

import json
import sys
from dataclasses import is_dataclass
from importlib.resources import files
from typing import Any, get_args

import yaml
from aiohttp import web

from schemas.records.fields import RecordField, record_fields
from schemas.records.subscriptions import Options

_TYPES = {str: "string", bool: "boolean", int: "integer"}


def description() -> dict[str, Any]:
    """Load the description, with the options of a subscription."""
    text = files(__package__).joinpath("openapi.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.load(text, yaml.CSafeLoader)
    options = {field.json_name: _property(field) for field in record_fields(Options)}
    schemas = found["components"]["schemas"]
    schemas["Options"] = {"type": "object", "properties": options}
    every = {"allOf": [{"$ref": "#/components/schemas/Options"}], "required": list(options)}
    schemas["AllOptions"] = every
    return found


def _property(field: RecordField) -> dict[str, Any]:
    about = field.about
    if any(map(is_dataclass, (field.type, *get_args(field.type)))):
        return _nested(field)
    if not about.decimal:
        return _plain(field)
    return {
        "type": ["string", "number", *(["null"] if field.is_optional else [])],
        "description": about.meaning,
        **({"pattern": f"^{about.pattern.pattern}$"} if about.pattern else {}),
        "default": field.default,
    }


def _plain(field: RecordField) -> dict[str, Any]:
    about = field.about
    if field.type == tuple[str, ...]:
        text = {"type": "string", "minLength": about.least, "maxLength": about.most}
        found = {"type": "array", "description": about.meaning, "items": text}
        return found | {"maxItems": about.most_items, "default": []}
    if field.type == tuple[int, ...]:
        number = {"type": "integer", "minimum": about.least, "maximum": about.most}
        return {
            "type": "array",
            "description": about.meaning,
            "items": number,
            "maxItems": about.most_items,
            "default": list(field.default),
        }
    if about.zero:
        number = {"type": "integer", "minimum": about.least, "maximum": about.most}
        forms = [number, {"const": about.zero}, {"type": "null"}]
        return {"description": about.meaning, "anyOf": forms}
    if about.choices:
        return {
            "type": "string",
            "description": about.meaning,
            "enum": list(about.choices),
            "default": field.default,
        }
    kind = _TYPES[field.type]
    minimum, maximum = ("minLength", "maxLength") if kind == "string" else ("minimum", "maximum")
    default = None if field.is_required else field.default
    limits = {minimum: about.least, maximum: about.most, "default": default}
    return {
        "type": [kind, "null"] if field.is_optional else kind,
        "description": about.meaning,
        **{name: value for name, value in limits.items() if value is not None},
    }


def _nested(field: RecordField) -> dict[str, Any]:
    about, items = field.about, [kind for kind in get_args(field.type) if is_dataclass(kind)]
    found: dict[str, Any]
    if about.by_name:
        values = {"type": "string"}
        found = {"type": "object", "description": about.meaning, "additionalProperties": values}
        return found | {"maxProperties": about.most_items, "default": {}}
    if items:
        found = {"type": "array", "description": about.meaning, "items": _object(items[0])}
        return found | {"maxItems": about.most_items, "default": []}
    found = {"anyOf": [_object(field.type), {"type": "null"}]}
    return {"description": about.meaning, **found} if about.meaning else found


def _object(kind: Any) -> dict[str, Any]:
    every = record_fields(kind)
    found = {
        "type": "object",
        "properties": {field.json_name: _property(field) for field in every},
        "additionalProperties": False,
    }
    needed = [field.json_name for field in every if field.is_required]
    return found | ({"required": needed} if needed else {})


class Description:
    """The handler; the file is read once."""

    def __init__(self) -> None:
        """Load the description."""
        self._description = json.dumps(description())

    async def openapi(self, _: web.Request) -> web.Response:
        """Answer with the description as JSON."""
        return web.Response(text=self._description, content_type="application/json")


if __name__ == "__main__":
    yaml.safe_dump(description(), sys.stdout, sort_keys=False, allow_unicode=True, width=100)
