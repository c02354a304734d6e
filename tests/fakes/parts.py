"""A worker's Faust app, its consumer and its parts, where a test needs one of them at most."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

from faust.transport.utils import DefaultSchedulingStrategy
from faust.types import TP

from streams.app import MATCH
from streams.engine.faust.app import PatchedApp
from streams.engine.faust.consumer import PatchedConsumer
from streams.engine.faust.parts import AppParts

SCHEDULER: Any = DefaultSchedulingStrategy


def fake_parts(**parts: Any) -> AppParts:
    """Return parts of a worker of match that are nothing, but for the given ones."""
    nothing = dict.fromkeys(AppParts.__dataclass_fields__, SimpleNamespace())
    return AppParts(**{**nothing, "agent": MATCH, **parts})


def fake_consumer(flow: Any, records: Mapping[TP, Sequence[Any]], **parts: Any) -> Any:
    """Return a consumer that hands over to ``flow`` what it has fetched, in generation 1."""
    consumer: Any = object.__new__(PatchedConsumer)
    consumer.parts, consumer.flow = fake_parts(**parts), flow
    consumer.app = SimpleNamespace(consumer_generation_id=1)
    consumer.scheduler = SCHEDULER()
    consumer._wait_next_records = AsyncMock(return_value=(records, None))
    consumer._read_offset, consumer._beat_s = {}, 0.5
    return consumer


def fake_app(name: str, broker: str) -> PatchedApp:
    """Return an app as it is once its services have started."""
    app = PatchedApp(name, fake_parts(), broker=broker, store="memory://")
    vars(app)["_flow"] = SimpleNamespace()
    app.finalize()
    return app
