"""``make chaos``: kills workers and broker, locks the store, and audits every notification."""

import argparse
import asyncio
import logging
import secrets
import sys
import time
from dataclasses import fields
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from tests.chaos.plan import Sizes
from tests.chaos.run import Result, run
from tests.harness.processes import VOKTER

EARLY_ACK = (sys.executable, "-m", "tests.chaos.early_ack")


def main() -> None:
    """Run once; exit with status 1 unless the promise was kept."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10_000))
    for field in fields(Sizes):
        parser.add_argument(
            f"--{field.name}", type=type(field.default), default=field.default, help="%(default)s"
        )
    parser.add_argument(
        "--early-ack",
        action="store_true",
        help="insert a fault: acknowledge events before their outputs; the run must report it",
    )
    options = vars(parser.parse_args())
    seed, is_broken = options.pop("seed"), options.pop("early_ack")
    # It says often that the broker is away, which is meant to be.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
    folder = Path(mkdtemp(prefix="vokter-chaos-"))
    print(f"seed {seed}; logs in {folder}", flush=True)
    say = partial(_say, time.monotonic())
    line = EARLY_ACK if is_broken else VOKTER
    try:
        result = asyncio.run(run(folder, seed, Sizes(**options), say, line))
    except BaseException:
        print(f"seed {seed} ended with an error; logs and data are in {folder}", flush=True)
        raise
    print(_summary(result, seed))
    if is_broken and not result.report.missing:
        sys.exit("Nothing is missing although events were acknowledged before their outputs.")
    if not is_broken and not result.report.is_good:
        sys.exit(f"The promise was broken. Logs and data are in {folder}")
    rmtree(folder)


def _say(begun: float, text: str) -> None:
    print(f"{time.monotonic() - begun:6.1f} s  {text}", flush=True)


def _summary(result: Result, seed: int) -> str:
    ended = [f"  {what} ({count} times)" for what, count in sorted(result.ended.items())]
    lost = [f"  missing: {what}" for what in result.lost[:20]]
    killed = f"killed {result.killed} workers, {result.in_rebalance} of them in a rebalance"
    facts = [f"seed {seed}: {killed}", "workers that ended by themselves:", *(ended or ["  none"])]
    facts += ["duplicates:"] * bool(result.repeated)
    facts += [f"  {what} ({count} times)" for what, count in sorted(result.repeated.items())]
    return "\n".join([*lost, *facts, result.report.table()])


if __name__ == "__main__":
    main()
