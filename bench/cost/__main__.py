"""What so many watches need: ``python -m bench.cost --watches 1e8 --interval 3600 --change 0.02``.

The figures were measured on one machine, with all of a deployment on it; the answer multiplies
them. It has no reserve for peaks but ``--busy``.
"""

import argparse
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.cost.measured import UNITS, measured
from bench.cost.model import Answer, Demand, answer

HELP = {
    "watches": "pages",
    "interval": "seconds between two checks of a page",
    "change": "share of checks that find a change",
    "subscriptions": "of each page",
    "concerned": "share of them that a change concerns",
    "unmodified": "share of unchanged checks that are answered with 304",
    "replication": "copies of each topic",
    "retention": "days that topics and listings are kept",
    "history": "older texts kept of each page, at most",
    "cores": "of a machine",
    "memory": "GB of a machine",
    "worker_memory": "GB that one worker may have for its watches",
    "busy": "share of cores, disks and networks to be in use",
    "broker_rate": "MB a second that a broker takes",
    "broker_disk": "GB of a broker",
}


def agents(found: Answer) -> Table:
    """Return a table of the agents."""
    drawn = Table("agent", "cores busy", "workers", "GB of memory")
    for name, each in sorted(found.agents.items(), key=lambda one: -one[1].cores):
        drawn.add_row(name, f"{each.cores:,.1f}", f"{each.workers:,}", f"{each.memory / 1e9:,.1f}")
    return drawn


def totals(demand: Demand, found: Answer) -> Iterator[tuple[str, str]]:
    """Yield everything else, as text."""
    for unit, rate in found.rates.items():
        yield f"{unit}s a second", f"{rate:,.0f}"
    yield "machines", f"{found.machines:,} of {demand.cores} cores and {demand.memory:g} GB"
    yield "partitions", f"{found.partitions:,}"
    yield "brokers", f"{found.brokers:,}, {found.broker_cores:,.1f} cores busy"
    yield "Kafka, written with replicas", f"{found.kafka_in / 1e6:,.1f} MB a second"
    yield "Kafka, read by agents", f"{found.kafka_out / 1e6:,.1f} MB a second"
    yield "Kafka, on disk", f"{found.kafka_disk / 1e12:,.1f} TB"
    yield "store", f"{found.store_size / 1e12:,.1f} TB"
    yield "store, written", f"{found.store_written / 1e6:,.1f} MB a second"
    yield "store, rows written or read", f"{found.store_operations:,.0f} a second"
    yield "pages, received", f"{found.pages_in * 8 / 1e9:,.1f} Gbit a second"


def main() -> None:
    """Print the answer."""
    parser = argparse.ArgumentParser(prog="python -m bench.cost", description=__doc__)
    for field in fields(Demand):
        kind = type(field.default)
        text = f"{HELP[field.name]}; %(default)g"
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=kind, default=field.default, help=text
        )
    parser.add_argument("--units", type=Path, default=UNITS, help="a file of bench.cost.measure")
    options = vars(parser.parse_args())
    known = measured(options.pop("units"))
    demand = Demand(**options)
    found = answer(demand, known)
    out, rest = Console(width=100), Table("", "", show_header=False)
    for row in totals(demand, found):
        rest.add_row(*row)
    out.print(agents(found), rest)


if __name__ == "__main__":
    main()
