"""The parts of a worker's Faust app, where a test needs one of them at most."""

from types import SimpleNamespace
from typing import Any

from streams.engine.faust.parts import AppParts


def fake_parts(**parts: Any) -> AppParts:
    """Return parts that are nothing, but for the given ones."""
    nothing = dict.fromkeys(AppParts.__dataclass_fields__, SimpleNamespace())
    return AppParts(**{**nothing, **parts})
