"""The text of JSON in many views, from a single parse."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from jsonpath_rfc9535 import JSONPathError, find

from connectors.readers.charsets import decode_checked
from connectors.readers.each_view import page_in_each
from connectors.readers.errors import Unreadable, nothing_selected, unfit_view, wrong_language
from connectors.readers.json import Members, json_text, parsed_json
from connectors.readers.page_text import PageText, RawPage
from schemas.records.views import Selector, View

Step = str | int
Tree = dict[Step, Any]
"""The steps to values, each below the step before; an empty tree stands for a whole value."""
_ROOT = 0
"""The step to the whole document, as if it were in an array."""


def read_json_views(page: RawPage, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read the text in each view, like ``read_json``, or say why a view fails.

    Raises Unreadable if the document cannot be.
    """
    text = decode_checked(page.body, page.charset)
    document = _JsonDocument(parsed_json(text), _value(text))
    return page_in_each(views, document.page)


def _value(text: str) -> Any:
    """Parse JSON for comparisons by JSONPath; a number with very many digits is infinite there."""
    try:
        return json.loads(text, strict=False)
    except ValueError:  # Python refuses to make an integer of them
        return json.loads(text, strict=False, parse_int=float)


class _JsonDocument:
    """A document with its members as written, and with its values for JSONPath."""

    def __init__(self, written: Any, value: Any) -> None:
        self._written = written
        self._value = value
        self._found: dict[Selector, Sequence[tuple[Step, ...]] | Unreadable] = {}

    def page(self, view: View) -> PageText:
        """Read the document in a view; raises Unreadable, as NothingSelected."""
        if (unfit := unfit_view(view, "JSON")) is not None:
            raise unfit
        selected = self._all_found(view.select) if view.select else [()]
        if not selected:
            raise nothing_selected()
        keep, cut = _tree(selected), _tree(self._all_found(view.exclude))
        return json_text(next(iter(_pruned([self._written], keep, cut)), []))

    def _all_found(self, selectors: Iterable[Selector]) -> list[tuple[Step, ...]]:
        every: list[tuple[Step, ...]] = []
        for selector in selectors:
            if selector not in self._found:
                self._found[selector] = self._find(selector)
            found = self._found[selector]
            if isinstance(found, Unreadable):
                raise found
            every += found
        return every

    def _find(self, selector: Selector) -> Sequence[tuple[Step, ...]] | Unreadable:
        if selector.jsonpath is None:
            return wrong_language(selector, "JSON")
        try:
            return [node.location for node in find(selector.jsonpath, self._value)]
        except (JSONPathError, RecursionError, ArithmeticError, ValueError) as error:
            return Unreadable(f"the JSONPath {selector.jsonpath!r} cannot be used: {error}")


def _tree(locations: Iterable[tuple[Step, ...]]) -> Tree:
    whole: Tree = {}
    tree: Tree = {}
    for location in sorted(locations, key=len):
        node = tree
        *above, last = (_ROOT, *location)
        for step in above:
            node = node.setdefault(step, {})
            if node is whole:
                break  # it is inside a value that is there as a whole
        else:
            node[last] = whole
    return tree


def _pruned(value: Any, keep: Tree, cut: Tree) -> Any:
    """Return the kept parts of a value, without its cut parts."""
    if not keep and not cut:
        return value
    if isinstance(value, Members):
        return Members(
            (name, _pruned(each, _below(keep, name), cut.get(name, {})))
            for name, each in value
            if _stays(name, keep, cut)
        )
    return [
        _pruned(each, _below(keep, at), cut.get(at, {}))
        for at, each in enumerate(value)
        if _stays(at, keep, cut)
    ]


def _below(keep: Tree, step: Step) -> Tree:
    found: Tree = keep[step] if keep else {}
    return found


def _stays(step: Step, keep: Tree, cut: Tree) -> bool:
    return (not keep or step in keep) and cut.get(step) != {}
