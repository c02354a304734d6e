"""Run the Faust apps of a process until a signal, or until one of them crashes."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from contextvars import copy_context
from multiprocessing import util
from signal import SIGINT, SIGTERM, Signals
from threading import Timer
from typing import Any, NoReturn

import structlog
from structlog.contextvars import bind_contextvars

from streams.engine.faust.app import PatchedApp
from streams.engine.life.loop_watch import BROKEN, end_process, ending_on_error, leave

log = structlog.get_logger()

Leaving = Callable[[], Coroutine[Any, Any, None]]
"""Returns when the process is to let go and start again."""

STOP_TIMEOUT_S = 28.0
"""A stop ends then, however far it is: its broker may be gone."""


def run_apps(
    apps: Mapping[str, PatchedApp],
    serving: AbstractAsyncContextManager[None],
    loop: asyncio.AbstractEventLoop,
    leaving: Leaving,
) -> NoReturn:
    """Run apps, by the names of their agents, within ``serving`` until SIGTERM or SIGINT.

    The process leaves with status 0 once all have let go. When one of them crashes, the
    others let go as at a stop, and the status is 70: the supervisor starts all of them again.
    So it is when ``leaving`` returns.
    """
    # At INFO both log every rebalance in many lines; "ready" is what an operator needs.
    logging.getLogger("faust").setLevel(logging.WARNING)
    logging.getLogger("mode").setLevel(logging.WARNING)
    for app in apps.values():
        app.finalize()

    async def run() -> int:
        async with serving:
            return await _run(apps, leaving)

    status = loop.run_until_complete(run())
    _remove_sockets()
    leave(status)


def _remove_sockets() -> None:
    """Remove the folder of multiprocessing, with its fork server's socket.

    Python does it at its end, which ``leave`` does not wait for. In a process that was forked the
    folder of its parent stays.
    """
    registered: Mapping[Any, Any] = util._finalizer_registry  # type: ignore[attr-defined]
    for finalizer in [*registered.values()]:
        if finalizer._callback is util._remove_temp_dir:  # type: ignore[attr-defined]
            finalizer()


async def _run(apps: Mapping[str, PatchedApp], leaving: Leaving) -> int:
    """Return the status to leave with, once all apps have let go."""
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def ask(signal: Signals) -> None:
        log.info("a stop was asked for", signal=signal.name)
        asked.set()

    for signal in (SIGINT, SIGTERM):
        loop.add_signal_handler(signal, ask, signal)
    contexts = {agent: copy_context() for agent in apps}
    for agent, context in contexts.items():
        context.run(bind_contextvars, agent=agent)  # each line of the log names its agent
    running = [
        asyncio.create_task(_until_crashed(app), context=contexts[agent])
        for agent, app in apps.items()
    ]
    asking, left = asyncio.create_task(asked.wait()), asyncio.create_task(_until_left(leaving))
    await asyncio.wait([asking, left, *running], return_when=asyncio.FIRST_COMPLETED)
    if left.done():
        log.info("partitions are added; this process ends, and starts again with them")
    # In a thread: the loop may wait for a broker that is gone.
    late = Timer(STOP_TIMEOUT_S, end_process, ["it could not stop in time; the rest is read again"])
    late.daemon = True
    late.start()
    try:
        # All let go before any of them closes what the others' last events may still need.
        for step in (PatchedApp.stop, PatchedApp.close_services):
            await asyncio.gather(
                *(
                    asyncio.create_task(step(app), context=contexts[agent])
                    for agent, app in apps.items()
                )
            )
    except Exception as error:  # noqa: BLE001 - whatever it is, the rest is read again
        end_process("an agent could not let go", error)
    # Only a process that is asked to leaves with status 0, unless a part crashes as its app stops.
    return 0 if asked.is_set() and not any(app.crashed for app in apps.values()) else BROKEN


async def _until_crashed(app: PatchedApp) -> None:
    """Start an app, and return when it has crashed; Faust logs why."""
    try:
        await app.start()
    except Exception as error:  # noqa: BLE001 - whatever it is, the app does not run
        await app.crash(error)
    await app.wait_until_stopped()


async def _until_left(leaving: Leaving) -> None:
    """Return when ``leaving`` does; without it no agent would see that partitions are added."""
    with ending_on_error("what says how many partitions there are cannot be read"):
        await leaving()
