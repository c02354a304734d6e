"""Look-ups of host names that do not wait for each other."""

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from threading import Thread
from typing import Any, TypeVar

from aiohttp.abc import AbstractResolver, ResolveResult

T = TypeVar("T")

_FLAGS = socket.AI_ADDRCONFIG & getattr(socket, "AI_MASK", ~0)
_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class ThreadedResolver(AbstractResolver):
    """Asks the operating system, in one thread per look-up.

    A name with servers that do not answer occupies a thread for half a minute. In a pool of
    threads, such as the loop's, a few of them would block all other look-ups.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Return all addresses of a name; raises OSError."""
        look_up = partial(socket.getaddrinfo, host, port, family, socket.SOCK_STREAM)
        if _is_address(host):
            found = look_up(flags=_NUMERIC)
        else:
            found = await _in_thread(partial(look_up, flags=_FLAGS))
        return [
            ResolveResult(
                hostname=host, host=str(at[0]), port=port, family=of, proto=proto, flags=_NUMERIC
            )
            for of, _, proto, _, at in found
        ]

    async def close(self) -> None:
        """Do nothing: threads that are still at work end on their own."""


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def _in_thread(work: Callable[[], T]) -> T:
    """Run ``work`` in a daemon thread, which does not delay the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def finish(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]  # set if there is no error

    def run() -> None:
        outcome: tuple[Any, BaseException | None]
        try:
            outcome = work(), None
        except Exception as error:  # noqa: BLE001  # raised where the result is awaited
            outcome = None, error
        with suppress(RuntimeError):  # the loop is closed, nobody waits any more
            loop.call_soon_threadsafe(finish, *outcome)

    Thread(target=run, name="look-up", daemon=True).start()
    return await done
