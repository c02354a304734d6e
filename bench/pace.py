"""What a pace for each page is worth: simulated pages with known times of change.

``python -m bench.pace`` compares it with one interval for all that takes as many visits. Pages
change at random (Poisson), at rates that are spread evenly on a logarithmic scale.
"""

import argparse
import random
from dataclasses import dataclass
from heapq import heapify, heapreplace
from math import exp, log
from time import process_time

from streams.agents.fetch.politeness.pace import Pace, interval_at, pace_after

DAY_S = 86_400
LEAST_S, LONGEST_S = 600, DAY_S
WARM_UP_DAYS = 10
"""Days that do not count: nothing is known of the pages yet."""
RATES = {"10 minutes": 600, "an hour": 3_600, "6 hours": 6 * 3_600}
"""The quickest pages change so often on average, the slowest once in 60 days."""
SLOWEST_S = 60 * DAY_S


@dataclass(slots=True)
class Page:
    """A page: its mean seconds between changes, and when it changes next."""

    between: float
    next: float
    pace: Pace


@dataclass(frozen=True, slots=True)
class Simulated:
    """Visits, and by how many seconds a visit came after a change, on average of all changes."""

    visits: int
    changes: int
    age: float


def simulate(pages: int, days: int, quickest: float, seed: int) -> Simulated:
    """Visit pages at their pace for some days."""
    chance = random.Random(seed)  # noqa: S311 - a simulation
    known = [_page(chance, quickest) for _ in range(pages)]
    due = [(chance.uniform(0, LEAST_S), number) for number in range(pages)]
    heapify(due)
    visits = changes = 0
    late = 0.0
    while due[0][0] < days * DAY_S:
        at, number = due[0]
        page, counts = known[number], at > WARM_UP_DAYS * DAY_S
        visits += counts
        is_changed = page.next <= at
        while page.next <= at:
            changes += counts
            late += (at - page.next) * counts
            page.next += chance.expovariate(1 / page.between)
        if is_changed:
            page.pace = pace_after(page.pace, [round(1000 * at)])
        seconds = interval_at(page.pace, round(1000 * at), LEAST_S, LONGEST_S)
        slots = max(1, round(seconds / LEAST_S))
        heapreplace(due, (at + slots * LEAST_S, number))
    return Simulated(visits, changes, late / changes)


def _page(chance: random.Random, quickest: float) -> Page:
    between = exp(chance.uniform(log(quickest), log(SLOWEST_S)))
    return Page(between, chance.expovariate(1 / between), Pace(last=1))


def main() -> None:
    """Print a line for each spread of rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    print(f"seed {asked.seed}, {asked.pages:,} pages, {asked.days - WARM_UP_DAYS} days")
    for name, quickest in RATES.items():
        begun = process_time()
        found = simulate(asked.pages, asked.days, quickest, asked.seed)
        measured = (asked.days - WARM_UP_DAYS) * DAY_S
        fixed = asked.pages * measured / found.visits
        print(
            f"quickest {name}: {found.visits:,} visits, {found.changes:,} changes, "
            f"mean age {found.age:.0f} s; one interval of {fixed:.0f} s: {fixed / 2:.0f} s "
            f"({found.age / (fixed / 2):.2f}); {process_time() - begun:.0f} s of CPU",
            flush=True,
        )


if __name__ == "__main__":
    main()
