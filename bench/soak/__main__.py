"""``make soak``: many watches for an hour while workers are restarted; what grows meanwhile?"""

import argparse
import asyncio
import secrets
import sys
from dataclasses import fields
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from rich.console import Console
from rich.table import Table

from bench.measuring import commit, machine, timed_printer
from bench.soak.attack import LATE_S
from bench.soak.run import Result, Sizes, run
from bench.soak.samples import Sheet
from bench.soak.verdict import BOUND, Trend, Verdict, verdicts

CSV = "samples.csv"
BY_DESIGN = {
    "topic ticker-watches-changelog": "second",
    "topic subscriptions": "second",
    "topic __consumer_offsets": "second",
    "logs": "second",
    "copies ticker": "second",
    "topic fetches": "check",
    "topic changes": "change",
    "store snapshots": "change",
    "store documents": "change",
    **dict.fromkeys(
        (
            "topic notifications", "topic attempts", "topic deliveries",
            "topic deliver-delivered-changelog", "topic deliver-outbox-changelog",
            "topic deliver-receivers-changelog", "copies deliver", "table deliver delivered",
            "store facts", "store file",
        ),
        "notification",
    ),
}  # fmt: skip
"""Quantities that grow until their retention, and the unit of their growth."""
ATTACKED = dict.fromkeys(
    (
        "topic subscription-requests", "topic match-subscriptions-changelog",
        "store subscriptions", "store watches",
    ),
    "second",
)  # fmt: skip
"""Traces of an attacker's subscriptions, which come and go, until their retention."""


def main() -> None:
    """Run once; exit with status 1 if something grows or is missing."""
    options = vars(_options())
    seed, out = options.pop("seed"), Console(width=120)
    sizes, folder = Sizes(**options), Path(mkdtemp(prefix="vokter-soak-"))
    out.print(f"{commit()}, {machine()}; seed {seed}, {sizes}; data in {folder}", highlight=False)
    with (folder / CSV).open("w", encoding="utf-8", newline="") as file:
        result = asyncio.run(run(folder, Sheet(file), seed, sizes, timed_printer(out)))
    found = verdicts(result.samples, sizes.warm_up, BY_DESIGN | (ATTACKED if sizes.attacks else {}))
    out.print(table(found), result.report.table(), summary(found, result), highlight=False)
    growing = sizes.says_what_grows and any(each.trend is Trend.GROWING for each in found)
    if not sizes.says_what_grows:
        out.print(f"{sizes.minutes:g} minutes are too short to say what grows.", highlight=False)
    is_late = result.late_s is not None and result.late_s > LATE_S
    if growing or result.lost or is_late or not result.report.is_good:
        sys.exit(f"Something grows, is missing or late. Samples, logs and data are in {folder}")
    rmtree(folder)


def table(found: list[Verdict]) -> Table:
    """Return what moves at all, and how."""
    title = f"flat: at most {BOUND:.0%} an hour"
    drawn = Table("quantity", "median", "growth an hour", "%", "verdict", title=title)
    for each in sorted(found, key=lambda one: (one.trend.value, one.name)):
        if not each.growth:
            continue
        relative = f"{each.growth / each.level:+.1%}" if each.level else ""
        unit = f": {each.each:,.1f} a {each.unit}" if each.unit else ""
        drawn.add_row(each.name, f"{each.level:,.0f}", f"{each.growth:+,.0f}", relative,
                      each.trend.value + unit)  # fmt: skip
    return drawn


def summary(found: list[Verdict], result: Result) -> str:
    """Return how many quantities do what, and which workers ended by themselves."""
    counts = {trend: sum(each.trend is trend for each in found) for trend in Trend}
    still = sum(not each.growth for each in found)
    ended = [f"{what} ({count} times)" for what, count in sorted(result.ended.items())]
    lines = [f"missing: {what}" for what in result.lost[:20]]
    lines.append(f"workers that ended by themselves: {', '.join(ended) or 'none'}")
    if result.late_s is not None:
        lines.append(
            f"a page of the tenant that is attacked was {result.late_s:.1f} s late at most"
        )
    lines.append(
        f"{counts[Trend.FLAT]} quantities are flat ({still} do not move), "
        f"{counts[Trend.BY_DESIGN]} grow by design, {counts[Trend.GROWING]} grow"
    )
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10_000))
    for field in fields(Sizes):
        parser.add_argument(
            f"--{field.name}", type=type(field.default), default=field.default, help="%(default)s"
        )
    return parser.parse_args()


if __name__ == "__main__":
    main()
