"""Values that Faust's patched parts share."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.flow import Flow
from streams.engine.acks.producer import Producer
from streams.engine.faust.changelog import ChangelogReader
from streams.engine.life.loop_watch import LoopWatch
from streams.values.agent import Agent


@dataclass(frozen=True, slots=True)
class AppParts:
    """The parts of a worker that its Faust app works with.

    ``services`` is entered at the app's start and left at its stop, and yields the flow that
    takes messages. ``recovered`` is called with the seconds from an assignment to the first event.
    Each assignment waits for ``check``, which ends the process if it may not work. Heartbeats,
    commits and polls come at the beat of the process, see ``beat_of``. A worker that is put out of
    its group calls ``drop_id``.
    """

    agent: Agent
    acks: Acknowledgements
    producer: Producer
    loop_watch: LoopWatch
    changelogs: ChangelogReader
    services: Callable[[], AbstractAsyncContextManager[Flow]]
    recovered: Callable[[float], None]
    beat_s: float
    check: Callable[[], Awaitable[None]]
    drop_id: Callable[[], None]
