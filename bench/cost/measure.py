"""Measures what one check, change and notification take, in a whole deployment.

``python -m bench.cost.measure``: `vokter up --processes` with its own Kafka watches pages. A round
with nothing watched, two without changes, one with changes that concern nobody and one with
notifications. It writes a file of ``bench/cost/measured``. Linux only.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from bench.cost.deployed import watch
from bench.cost.observed import Observed, between, observe
from bench.cost.units import Rounds, units
from bench.measuring import Say, commit, machine, timed_printer
from bench.race.site import Mode
from bench.race.up import KEYWORDS, Up
from bench.race.watched import Watched, site

HOSTS, INTERVAL = 100, 40
CHANGING = 0.5
MODES = {
    "unchanged": Mode(),
    "unmodified": Mode(conditional=True),
    "changed": Mode(changing=CHANGING),
}
SUBSCRIPTIONS = 4
"""Receivers of a page in the last round."""
NOBODYS = ("keyword-of-nobody",)
SETTLED, DRAIN = 10.0, 15.0
"""Seconds until what a round has left behind is done; the next one begins then."""


async def seen(up: Up, watched: Watched, mode: Mode, seconds: float) -> Observed:
    """Let pages behave so for a while; return what that took, with what came of it later."""
    await watched.begin(mode)
    before = await observe(up, watched)
    await asyncio.sleep(seconds)
    await watched.freeze()
    await asyncio.sleep(DRAIN)
    return between(before, await observe(up, watched))


async def measured(up: Up, watched: Watched, seconds: float, say: Say) -> Rounds:
    """Go through all rounds."""
    await asyncio.sleep(SETTLED)
    rest = await seen(up, watched, Mode(), seconds / 2)
    say("nothing is watched: measured")
    before = await observe(up, watched)
    await watch(up, watched, [watched.hook("nobody")], NOBODYS, INTERVAL, say)
    await asyncio.sleep(DRAIN)
    registered = between(before, await observe(up, watched))
    # Changes start what reads pages; all are known by their second visit.
    await seen(up, watched, Mode(changing=0.1), 2 * INTERVAL)
    rounds: dict[str, Observed] = {}
    for name, mode in MODES.items():
        rounds[name] = await seen(up, watched, mode, seconds)
        say(f"{name}: measured")
    hooks = [watched.hook(str(number)) for number in range(SUBSCRIPTIONS)]
    await watch(up, watched, hooks, KEYWORDS, INTERVAL, say)
    await seen(up, watched, Mode(), INTERVAL)
    rounds["notified"] = await seen(up, watched, Mode(changing=CHANGING), seconds)
    return Rounds(len(watched.pages), rest, registered, **rounds)


async def run(options: argparse.Namespace, say: Say) -> dict[str, object]:
    """Set all up; return what was measured."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with site(options.seed, options.pages, HOSTS, options.size) as watched:
            up = Up(Path(folder, "data"), is_apart=True)
            try:
                await up.start()
                rounds = await measured(up, watched, options.seconds, say)
            finally:
                await up.stop()
    found = units(rounds)
    kept = {kind: {unit: _rounded(parts) for unit, parts in found[kind].items()} for kind in found}
    memory = dict(rounds.rest.memory)
    by = f"python -m bench.cost.measure --pages {options.pages} --size {options.size}"
    about = {"by": f"{by}, {commit()}, {machine()}", "load": os.getloadavg()[2]}
    return about | {"page": options.size, "resting memory": memory} | kept


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    """Leave out what takes nothing, and digits that no measurement has."""
    return {part: float(f"{value:.4g}") for part, value in parts.items() if value}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--size", type=int, default=66_000, help="bytes of a page")
    parser.add_argument("--seconds", type=int, default=80, help="of a round")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    found = asyncio.run(run(options, timed_printer(Console(width=120, stderr=True))))
    options.out.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
