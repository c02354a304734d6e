"""The longest silence of any key while a worker joins, and while one leaves.

``python -m bench.rebalance``: two workers of each agent; documents on separate
hosts that change at every fetch, once a second, each with a separate receiver; and a
host and a receiver that never answer.
"""

import asyncio
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from signal import SIGTERM
from time import monotonic

from rich.console import Console
from rich.table import Table

from infra.broker import LocalBroker
from tests.harness.hanging import hanging
from tests.harness.hooks import receivers
from tests.harness.load import Watcher, plant, watch
from tests.harness.pages import site
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client

DOCUMENTS = 8
VERSIONS = 1_000
WINDOW = 15.0
LOOK = 0.05


def main() -> None:
    """Measure and print."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        broker = stack.enter_context(LocalBroker(Path(folder, "kafka"), 0))
        deployment = stack.enter_context(Deployment(broker.bootstrap, Path(folder, "data")))
        deployment.start(*ON_THE_WAY, *(f"{agent}-2" for agent in ON_THE_WAY), "api")
        Console().print(asyncio.run(measured(deployment)))


async def measured(deployment: Deployment) -> Table:
    """Return the longest silences, a line for each agent."""
    async with (
        client(deployment.settings.port) as rest,
        site(DOCUMENTS) as pages,
        receivers() as hooks,
        hanging() as slow,
    ):
        await rest.ready()
        watchers = await watch(rest, pages, hooks, DOCUMENTS, DOCUMENTS)
        watchers = [watcher for watcher in watchers if watcher.word == "*"]
        hung = pages.add("<p>the giant sleeps")
        await rest.subscribe(hung.url, f"{slow.base}/hook", "*")
        await rest.subscribe(f"{slow.base}/page", hooks.add().url, "*")
        await hung.stored()
        hung.text = "<p>the giant wakes"
        plant(watchers, VERSIONS)
        await silence(watchers, lambda: None)
        return await by_agent(deployment, watchers)


async def by_agent(deployment: Deployment, watchers: list[Watcher]) -> Table:
    """Start, stop and restart a worker of each agent."""
    table = Table("agent", "a worker comes", "a worker goes", "a worker is restarted",
                  title="longest silence of any document, s")  # fmt: skip
    table.add_row("nothing happens", f"{await silence(watchers, lambda: None):.1f}", "", "")
    for agent in ON_THE_WAY:
        third = f"{agent}-3"
        come = await silence(watchers, lambda: deployment.start(third))  # noqa: B023 - awaited here
        go = await silence(watchers, lambda: ended(deployment, third))  # noqa: B023 - awaited here
        again = await silence(watchers, lambda: restarted(deployment, agent))  # noqa: B023 - awaited here
        table.add_row(agent, *(f"{each:.1f}" for each in (come, go, again)))
    return table


async def silence(watchers: list[Watcher], act: Callable[[], None]) -> float:
    """Do something; return the longest time (s) without a POST to any one receiver."""
    doing = asyncio.create_task(asyncio.to_thread(act))
    begun, longest = monotonic(), 0.0
    heard = {watcher.hook.url: (len(watcher.hook.posts), begun) for watcher in watchers}
    while (now := monotonic()) < begun + WINDOW or not doing.done():
        for watcher in watchers:
            count, since = heard[watcher.hook.url]
            longest = max(longest, now - since)
            if len(watcher.hook.posts) > count:
                heard[watcher.hook.url] = len(watcher.hook.posts), now
        await asyncio.sleep(LOOK)
    await doing
    return longest


def ended(deployment: Deployment, name: str) -> None:
    """Stop a worker."""
    deployment[name].send(SIGTERM)


def restarted(deployment: Deployment, name: str) -> None:
    """Stop a worker and restart it."""
    deployment[name].send(SIGTERM)
    deployment[name].start()


if __name__ == "__main__":
    main()
