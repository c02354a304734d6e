"""Browser steps of changedetection.io as steps of a view."""

from typing import Any

from connectors.imports.draft import Draft, texts

_NO_STEPS = {"", "Choose one", "Goto site"}


def take_steps(draft: Draft, watch: dict[str, Any]) -> None:
    """Leave the steps of a watch, naming them."""
    steps = watch.get("browser_steps")
    for step in steps if isinstance(steps, list) else ():
        operation = next(iter(texts(step.get("operation"))), "") if isinstance(step, dict) else ""
        if operation not in _NO_STEPS:
            draft.leave(f"browser_steps {operation}", "write it as one of view.steps")
