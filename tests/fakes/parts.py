"""A worker's Faust app, and its parts, where a test needs one of them at most."""

from types import SimpleNamespace
from typing import Any

from streams.app import MATCH
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.parts import AppParts


def fake_parts(**parts: Any) -> AppParts:
    """Return parts of a worker of match that are nothing, but for the given ones."""
    nothing = dict.fromkeys(AppParts.__dataclass_fields__, SimpleNamespace())
    return AppParts(**{**nothing, "agent": MATCH, **parts})


def fake_app(name: str, broker: str) -> PatchedApp:
    """Return an app as it is once its services have started."""
    app = PatchedApp(name, fake_parts(), broker=broker, store="memory://")
    vars(app)["_flow"] = SimpleNamespace()
    app.finalize()
    return app
