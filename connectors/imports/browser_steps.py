"""Browser steps of changedetection.io as steps of a view."""

from collections.abc import Callable
from math import ceil
from typing import Any

from connectors.imports.draft import Draft, texts, whole_number
from connectors.imports.requests import SECRET_DATA, TEMPLATE, leave_secret
from schemas.records.rendering import MAX_WAIT_S

_NO_STEPS = {"", "Choose one", "Goto site"}
_STEPS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "Check checkbox": lambda selector, _: {"click": _for_browser(selector)},
    "Click element": lambda selector, _: {"click": _for_browser(selector)},
    "Click element if exists": lambda selector, _: {"click": _for_browser(selector)},
    "Click element containing text": lambda _, value: {"click": f"text={value}"},
    "Click element containing text if exists": lambda _, value: {"click": f"text={value}"},
    "Enter text in field": lambda selector, value: {"fill": _for_browser(selector), "value": value},
    "Goto URL": lambda _, value: {"goto": value},
    "Press Enter": lambda *_: {"press": "Enter"},
    "Scroll down": lambda *_: {"scroll": "bottom"},
    "Wait for seconds": lambda _, value: {"wait": {"seconds": ceil(float(value or 1))}},
    "Wait for text": lambda _, value: {"wait": {"text": value, "seconds": MAX_WAIT_S}},
    "Wait for text in element": lambda _, value: {"wait": {"text": value, "seconds": MAX_WAIT_S}},
}
_MISSING = "if it is not there, the visit is a failed fetch"
_DIFFERENT = {
    "Check checkbox": "it is clicked, even if it is checked",
    "Click element if exists": _MISSING,
    "Click element containing text": _MISSING,
    "Click element containing text if exists": _MISSING,
    "Scroll down": "to the bottom of the page",
    "Wait for text in element": "the text is waited for in the whole page",
}


def take_steps(draft: Draft, watch: dict[str, Any]) -> None:
    """Take the steps of the browser before the reading."""
    delay = whole_number(next(iter(texts(watch.get("webdriver_delay"))), ""))
    if delay:
        draft.view("webdriver_delay", "waitFor", {"seconds": delay})
    steps = watch.get("browser_steps")
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict):
            _take_step(draft, *(next(iter(texts(step.get(name))), "") for name in _FIELDS))


_FIELDS = ("operation", "selector", "optional_value")


def _take_step(draft: Draft, operation: str, selector: str, value: str) -> None:
    what = f"browser_steps {operation}"
    if operation in _NO_STEPS:
        return
    if TEMPLATE.search(selector + value):
        draft.leave(what, "a template is not filled in; the steps after it may fail")
        return
    if operation == "Remove elements":
        draft.view(what, "exclude", [{"xpath" if selector.startswith("/") else "css": selector}])
    elif operation not in _STEPS:
        draft.leave(what, "there is no such step; the steps after it may fail")
    elif operation == "Enter text in field" and SECRET_DATA.search(f"{selector} {value}"):
        leave_secret(draft, what, "--for ORIGIN --basic USER")
    else:
        try:
            step = _STEPS[operation](selector, value)
        except (ValueError, OverflowError):
            draft.leave(what, "its value is no number")
            return
        draft.view(what, "steps", [step])
        if operation in _DIFFERENT:
            draft.differ(what, _DIFFERENT[operation])


def _for_browser(selector: str) -> str:
    """Return a selector of a step; a slash at its beginning is XPath there as well."""
    is_path = selector.startswith("/") and not selector.startswith("//")
    return f"xpath={selector}" if is_path else selector
