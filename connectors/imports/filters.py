"""Filters of urlwatch and webchanges, in sequence, as fields of a view."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from connectors.imports.draft import REPEATED, Draft, shown
from connectors.imports.expressions import (
    NO_JQ,
    TextRule,
    json_path_of_jq,
    literal_rule,
    python_rule,
)

Parameters = dict[str, Any]

_DEFAULT_NAMES = {
    "css": "selector",
    "xpath": "path",
    "element-by-id": "id",
    "element-by-class": "class",
    "element-by-style": "style",
    "element-by-tag": "tag",
    "grep": "re",
    "grepi": "re",
    "keep_lines_containing": "text",
    "delete_lines_containing": "text",
    "re.sub": "pattern",
    "strip": "chars",
    "jq": "query",
}
_NEEDLESS = {
    "html2text": "documents are read as text",
    "strip": "white space is no change",
    "striplines": "white space is no change",
    "beautify": "documents are read as text",
    "absolute_links": "documents are read as text",
    "format-json": "JSON is read a line for each value",
    "jsontoyaml": "JSON is read a line for each value",
    "format-xml": "XML is read as text",
    "pretty-xml": "XML is read as text",
    "pdf2text": "PDF is read as text",
    "pypdf": "PDF is read as text",
    "csv2text": "CSV is read a line for each row",
    "sort": "sentences that only moved are not notified",
    "reverse": "the order of lines is no change",
}
_HARMLESS = {
    "", "method", "parser", "strip", "splitlines", "side", "separator", "reverse", "indentation",
    "ignore_header", "has_header", "body_width",
}  # fmt: skip
"""Parameters without effect on the words of a text, and their sentences."""
_DIFFERENT = {
    "remove_repeated": REPEATED,
    "remove-duplicate-lines": REPEATED,
    "ical2text": "a calendar is read as plain text",
}
_MADE_TEXT = {"html2text", "pdf2text", "pypdf", "csv2text", "ical2text", "ocr"}
"""Filters after which a line is a line of text, not of the source."""
_ANCHORS = re.compile(r"(?<![\\\[])[\^$]")
_NO_COUNTERPART = "there is no counterpart"


@dataclass(slots=True)
class _Chain:
    """The filters of a job so far."""

    draft: Draft
    is_text: bool = False
    selected: str = ""
    has_keywords: bool = False


def take_filters(draft: Draft, filters: Any) -> None:
    """Take each filter of a job into the view, or say why not."""
    chain = _Chain(draft)
    for name, parameters in filter_list(filters):
        take = _TAKERS.get(name)
        if take is not None:
            take(chain, name, parameters)
        elif name in _NEEDLESS:
            draft.need_none(name, _NEEDLESS[name])
            for each in sorted(
                each for each in parameters if parameters[each] and each not in _HARMLESS
            ):
                draft.leave(f"{each} of {name}", _NO_COUNTERPART)
        elif name in _DIFFERENT:
            draft.differ(name, _DIFFERENT[name])
        else:
            draft.leave(name, _NO_COUNTERPART)
        chain.is_text = chain.is_text or name in _MADE_TEXT
    if not chain.is_text:
        draft.differ("the document", "its text is compared, not its source")


def filter_list(filters: Any) -> Iterator[tuple[str, Parameters]]:
    """Yield the filters of a job with their parameters, also those of the earlier short form.

    Example:
        >>> list(filter_list("css:main,html2text"))
        [('css', {'selector': 'main'}), ('html2text', {})]
    """
    if isinstance(filters, str):
        parts = (each.partition(":") for each in filters.split(","))
        filters = [{name: value} if colon else name for name, colon, value in parts]
    for each in filters if isinstance(filters, list) else ():
        name, value = next(iter(each.items()), ("", None)) if isinstance(each, dict) else (each, {})
        if isinstance(value, dict):
            yield str(name), value
        else:
            found = {} if value is None else {_DEFAULT_NAMES.get(str(name), ""): value}
            yield str(name), found


def _take_selector(chain: _Chain, name: str, parameters: Parameters) -> None:
    path = str(parameters.get(_DEFAULT_NAMES[name], ""))
    _select(chain, f"{name}: {shown(path)}", name, parameters, path)


def _take_element(chain: _Chain, name: str, parameters: Parameters) -> None:
    kind = name.removeprefix("element-by-")
    value = str(parameters.get(kind, ""))
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    path = value if kind == "tag" else f'[{kind}="{quoted}"]'
    _select(chain, f"{name}: {shown(value)}", "css", {}, path)


def _select(chain: _Chain, what: str, language: str, parameters: Parameters, path: str) -> None:
    if chain.selected:
        is_simple = language == "css" and chain.selected != "/" and "," not in chain.selected + path
        within = f"{chain.selected} {path}" if is_simple else None
        if within is None:
            chain.draft.leave(what, "a view selects once; write it and the one before as one")
            return
        chain.draft.view_fields["select"], path = [], within
    chain.selected = path if language == "css" else "/"
    chain.draft.view(what, "select", [{language: path}])
    if parameters.get("exclude"):
        exclude = str(parameters["exclude"])
        chain.draft.view(f"exclude: {shown(exclude)}", "exclude", [{language: exclude}])
    for other in ("skip", "maxitems", "sort", "namespaces"):
        if parameters.get(other):
            chain.draft.leave(f"{other} of {what}", _NO_COUNTERPART)


def _rule(parameters: Parameters) -> TextRule:
    if "re" in parameters:
        return python_rule(str(parameters["re"]))
    return literal_rule(str(parameters.get("text", "")))


def _take_kept_lines(chain: _Chain, name: str, parameters: Parameters) -> None:
    rule = _rule(parameters)
    what, keywords = f"{name}: {shown(rule.expression)}", rule.keywords
    if not keywords:
        chain.draft.leave(what, "a keyword is words, not an expression; every change is notified")
    elif chain.has_keywords:
        chain.draft.leave(what, "its words would have to be in the same keywords as those before")
    else:
        chain.has_keywords = True
        chain.draft.take(what, "keywords", list(keywords))
        if rule.ignores_case:
            chain.draft.fields["ignoreCase"] = True
        chain.draft.differ(what, "keywords are whole words, and of a sentence, not of a line")


def _take_deleted_lines(chain: _Chain, name: str, parameters: Parameters) -> None:
    rule = _rule(parameters)
    _ignore(chain, f"{name}: {shown(rule.expression)}", rule.line_pattern)


def _take_substitution(chain: _Chain, name: str, parameters: Parameters) -> None:
    rule = python_rule(str(parameters.get("pattern", "")))
    what = f"{name}: {shown(rule.expression)}"
    if parameters.get("repl"):
        chain.draft.leave(what, "text can be ignored, but not replaced")
    else:
        _ignore(chain, what, rule.pattern)
        if chain.is_text and "m" not in rule.flags and _ANCHORS.search(rule.expression):
            chain.draft.differ(what, "^ and $ are the ends of each line, not of the text alone")


def _ignore(chain: _Chain, what: str, pattern: str | None) -> None:
    if chain.is_text:
        chain.draft.ignore(what, pattern)
    else:
        chain.draft.leave(what, "it is about the source of the document, and text is compared")


def _take_jq(chain: _Chain, name: str, parameters: Parameters) -> None:
    query = str(parameters.get("query", ""))
    path = json_path_of_jq(query)
    if path is None:
        chain.draft.leave(f"{name}: {shown(query)}", NO_JQ)
    else:
        _select(chain, f"{name}: {shown(query)}", "jsonpath", parameters, path)
    chain.is_text = True


_TAKERS: dict[str, Callable[[_Chain, str, Parameters], None]] = {
    "css": _take_selector,
    "xpath": _take_selector,
    "element-by-id": _take_element,
    "element-by-class": _take_element,
    "element-by-style": _take_element,
    "element-by-tag": _take_element,
    "grep": _take_kept_lines,
    "keep_lines_containing": _take_kept_lines,
    "grepi": _take_deleted_lines,
    "delete_lines_containing": _take_deleted_lines,
    "re.sub": _take_substitution,
    "jq": _take_jq,
}
