"""A description in OpenAPI as one page of HTML, without scripts."""

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

Node = dict[str, Any]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { border-top: 1px solid #8888; padding-top: 1rem; margin-top: 2.5rem }
table { border-collapse: collapse; margin: .5rem 0 1rem }
td, th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }
code, pre { font-family: ui-monospace, monospace; font-size: .9em }
pre { overflow-x: auto; padding: .7rem; background: #8882 }
"""
_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {}",
    "maxItems": "at most {}",
    "minimum": "from {}",
    "maximum": "to {}",
    "pattern": "{}",
    "format": "{}",
}


def page(description: Node) -> str:
    """Write the whole page."""
    info, base = description["info"], description["servers"][0]["url"].partition("//")[2]
    prefix = base[base.index("/") :]
    calls = [
        (f"{method.upper()} {prefix}{path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    places = "".join(
        f'<li><a href="#{call["operationId"]}"><code>{escape(name)}</code></a> '
        f"{escape(call['summary'])}</li>"
        for name, call in calls
    )
    parts = "".join(_call(name, call, description) for name, call in calls)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])}'
        f"</title><style>{_STYLE}</style><h1>{escape(info['title'])}</h1>"
        f'<p>{escape(info["description"])}</p><p><a href="openapi.json">openapi.json</a></p>'
        f"<ul>{places}</ul>{parts}</html>\n"
    )


def _call(name: str, call: Node, root: Node) -> str:
    parts = [
        f'<h2 id="{call["operationId"]}"><code>{escape(name)}</code></h2>',
        f"<p>{escape(call['summary'])} {escape(call.get('description', ''))}</p>",
    ]
    parameters = [_resolved(each, root) for each in call.get("parameters", ())]
    if parameters:
        rows = (
            (each["name"], each["in"], *_told(_resolved(each["schema"], root), each))
            for each in parameters
        )
        parts.append(_table(("parameter", "in", "type", "meaning"), rows))
    if body := call.get("requestBody"):
        parts += ["<h3>Body</h3>", *_contents(body, root)]
    for status, response in call["responses"].items():
        answer = _resolved(response, root)
        parts.append(f"<h3>{status}: {escape(answer['description'])}</h3>")
        parts += _contents(answer, root) if status.startswith("2") else ()
    return "".join(parts)


def _contents(message: Node, root: Node) -> Iterator[str]:
    for kind, content in message.get("content", {}).items():
        schema = _resolved(content["schema"], root)
        yield f"<p><code>{escape(kind)}</code> {escape(schema.get('description', ''))}</p>"
        rows = list(_fields(schema, root, ""))
        if rows:
            yield _table(("field", "needed", "type", "meaning"), rows)
        for example in schema.get("examples", ()):
            yield f"<pre>{escape(json.dumps(example, indent=2, ensure_ascii=False))}</pre>"


def _fields(schema: Node, root: Node, prefix: str) -> Iterator[tuple[str, ...]]:
    """One row a field, those of nested objects behind their own."""
    needed = set(schema.get("required", ()))
    for name, content in schema.get("properties", {}).items():
        field = _resolved(content, root)
        yield f"{prefix}{name}", "yes" if name in needed else "", *_told(field, field)
        inner = _resolved(field.get("items", field), root)
        mark = "[]." if "items" in field else "."
        yield from _fields(inner, root, f"{prefix}{name}{mark}")


def _told(schema: Node, named: Node) -> tuple[str, str]:
    """Type and meaning, limits included."""
    kinds = schema.get("type", type(schema.get("const", "")).__name__.replace("str", "string"))
    limits = [text.format(schema[name]) for name, text in _LIMITS.items() if name in schema]
    limits += [f"one of {', '.join(schema['enum'])}"] if "enum" in schema else []
    limits += [f"always {json.dumps(schema['const'])}"] if "const" in schema else []
    limits += [f"default {json.dumps(schema['default'])}"] if "default" in schema else []
    meaning = named.get("description", "")
    return " or ".join([kinds] if isinstance(kinds, str) else kinds), "; ".join(
        [*([meaning] if meaning else []), *limits]
    )


def _resolved(node: Node, root: Node) -> Node:
    """The node that a reference leads to, its parts of ``allOf`` as one."""
    if "$ref" in node:
        found: Any = root
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return _resolved(found, root)
    merged: Node = {key: value for key, value in node.items() if key != "allOf"}
    for part in node.get("allOf", ()):
        other = _resolved(part, root)
        merged["properties"] = merged.get("properties", {}) | other.get("properties", {})
        merged["required"] = [*merged.get("required", ()), *other.get("required", ())]
    return merged


def _table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
