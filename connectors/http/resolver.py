"""Look-ups of host names, none of which waits for another."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from aiohttp.abc import AbstractResolver, ResolveResult

T = TypeVar("T")

_FLAGS = socket.AI_ADDRCONFIG & getattr(socket, "AI_MASK", ~0)
_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class ThreadedResolver(AbstractResolver):
    """Asks the system, in a thread for each look-up.

    Names whose servers do not answer take a thread for half a minute. In a pool, as the
    loop's own, a few of them would keep every other name from being looked up.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Give all addresses of a name; raises OSError."""
        kind = socket.SOCK_STREAM
        found = await _in_thread(lambda: socket.getaddrinfo(host, port, family, kind, flags=_FLAGS))
        return [
            ResolveResult(
                hostname=host, host=str(at[0]), port=port, family=of, proto=proto, flags=_NUMERIC
            )
            for of, _, proto, _, at in found
        ]

    async def close(self) -> None:
        """Leave what is being looked up to its threads."""


async def _in_thread(work: Callable[[], T]) -> T:
    """Have work done in a thread that nothing waits for at the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # without an error it is there

    def run() -> None:
        outcome: tuple[Any, BaseException | None]
        try:
            outcome = work(), None
        except Exception as error:  # noqa: BLE001  # it is that of whoever waits
            outcome = None, error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell, *outcome)

    Thread(target=run, name="look-up", daemon=True).start()
    return await done
