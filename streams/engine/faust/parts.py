"""What Faust's patched parts share."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from streams.engine.acks.flow import Flow
from streams.engine.acks.producer import Producer
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.life.pulse import Pulse


@dataclass(frozen=True, slots=True)
class AppParts:
    """The parts of a worker that its Faust app works with.

    ``services`` is entered at the app's start and left at its stop. At a stop or a
    revoke, what is at work has ``drain`` s to finish. After each look for messages there is
    none for ``lull`` s, so that more come at once. After ``turn`` messages the event loop has its
    turn. ``recovered`` is called with the seconds from an assignment to the first event. Each
    assignment waits for ``check``, which ends the process if it may not work.
    """

    flow: Flow
    producer: Producer
    pulse: Pulse
    changelogs: ChangelogReader
    services: Callable[[], AbstractAsyncContextManager[None]]
    recovered: Callable[[float], None]
    drain: float
    lull: float
    turn: int
    check: Callable[[], Awaitable[None]]
