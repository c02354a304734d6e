"""Retry a failing handler, and give up in the end."""

import logging
from collections.abc import Awaitable, Callable, Iterable

log = logging.getLogger("vokter")

Sleep = Callable[[float], Awaitable[None]]


class NotHandled(Exception):
    """A handler returned False."""


async def attempted(
    call: Callable[[], Awaitable[object]], pauses: Iterable[float], sleep: Sleep, what: str
) -> Exception | None:
    """Call until a result other than False; returns the last error if all attempts fail.

    There is an attempt more than there are ``pauses`` (s).
    """
    left = iter(pauses)
    while True:
        error = await _once(call)
        if error is None:
            return None
        pause = next(left, None)
        if pause is None:
            return error
        log.warning("%s: the handler failed and is called again in %g s: %r", what, pause, error)
        await sleep(pause)


async def _once(call: Callable[[], Awaitable[object]]) -> Exception | None:
    try:
        handled = await call()
    except Exception as error:  # noqa: BLE001 - a handler may raise anything
        return error
    return NotHandled("the handler returned False") if handled is False else None
