"""From the fetch that sees a change to its webhooks' arrival, in a whole deployment.

``python -m bench.latency``: 50 changes a second for half a minute, 10 subscriptions
each, `vokter up` on its own Kafka. The site's process holds both clocks.

With ``--rules`` it measures a second time, after each page got so many more subscriptions with a
rule in plain words, and a model that never answers: those without a rule wait for neither.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from statistics import quantiles

from rich.console import Console

from bench.race.site import Mode
from bench.race.up import BROKER, Up, since
from bench.race.watched import Watched, site
from tests.servers.model import NAME, ModelServer, serving_model

HOSTS = 100
INTERVAL = 10
FIRST = 2.0
"""Seconds."""
DRAIN = 60.0


async def measure(up: Up, watched: Watched, options: argparse.Namespace, out: Console) -> None:
    """Change pages at each visit for a while, and print how long notifying took.

    The first seconds are printed alone: what has rested for long begins slowly.
    """
    loop = asyncio.get_running_loop()
    await watched.begin(Mode(changing=1.0))
    await asyncio.sleep(FIRST)
    out.print(f"the first {FIRST:g} s: {_parts(await watched.waits())}")
    await watched.begin(Mode(changing=1.0))
    before, begun = up.spent(), loop.time()
    await asyncio.sleep(options.seconds)
    await watched.freeze()
    await watched.notified(DRAIN, options.receivers)
    spent, wall = since(up.spent(), before), loop.time() - begun
    seen, waits = await watched.seen(), await watched.waits()
    out.print(
        f"{len(seen.planted) / options.seconds:.0f} changes a second; "
        f"{seen.notified} of {len(seen.planted) * options.receivers} notifications arrived"
    )
    out.print(_parts(waits))
    broker = spent.pop(BROKER)
    busy = ", ".join(f"{name} {used / wall:.2f}" for name, used in spent.items())
    out.print(f"cores busy: {busy}, broker {broker / wall:.2f}", highlight=False)


def _parts(waits: list[float]) -> str:
    hundredths = quantiles(waits, n=100)
    return ", ".join(f"p{n} {hundredths[n - 1] * 1e3:.1f} ms" for n in (10, 50, 90, 99))


async def run(options: argparse.Namespace, out: Console) -> None:
    """Set all up."""
    pages = options.rate * INTERVAL
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with (
            site(options.seed, pages, HOSTS) as watched,
            serving_model(ModelServer(fault="slow")) as model,
        ):
            up = Up(Path(folder), model_url=model.url, model=NAME)
            try:
                await up.start()
                out.print(f"{pages} pages, {options.receivers} subscriptions each ...")
                await watched.begin(Mode())
                hooks = [watched.hook(str(number)) for number in range(options.receivers)]
                await up.subscribe(watched.pages, hooks, INTERVAL)
                await watched.fetched(2 * pages, DRAIN)
                await asyncio.sleep(INTERVAL)
                await measure(up, watched, options, out)
                if options.rules:
                    await _add_rules(up, watched, options.rules)
                    out.print(f"{options.rules} more subscriptions each have a rule ...")
                    await measure(up, watched, options, out)
                    out.print(f"the model was asked {len(model.asked)} times")
            finally:
                await up.stop()


async def _add_rules(up: Up, watched: Watched, count: int) -> None:
    hooks = [watched.uncounted(str(number)) for number in range(count)]
    await up.subscribe(watched.pages, hooks, INTERVAL, rule="only prices")
    await asyncio.sleep(INTERVAL)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=int, default=50, help="changes a second")
    parser.add_argument("--receivers", type=int, default=10, help="subscriptions of each page")
    parser.add_argument("--rules", type=int, default=0, help="those with a rule, the second time")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    asyncio.run(run(parser.parse_args(), Console(width=120)))


if __name__ == "__main__":
    main()
