"""Reading, comparing and matching text, each compared with its alternatives.

Run by ``make bench-text``. A section is a module with ``PACKAGES``: their versions
are printed, and ``table``, which measures.
"""

import argparse
import platform
from types import ModuleType

from rich.console import Console

from bench import diff, html, language, matching, monitor, percolating, views
from bench.measuring import Run, versions

SECTIONS: dict[str, ModuleType] = {
    "diff": diff, "html": html, "language": language, "matching": matching,
    "monitor": monitor, "percolating": percolating, "views": views,
}  # fmt: skip


def main() -> None:
    """Measure the sections asked for, and print each when it is done."""
    options = _options()
    run = Run(options.seed, options.largest, options.queries, options.setup)
    out = Console(width=120)
    out.print(f"Python {platform.python_version()}, {platform.platform()}; seed {run.seed}")
    for name in options.section or SECTIONS:
        section = SECTIONS[name]
        out.print(f"\n[bold]{name}[/bold]: {versions(section.PACKAGES)}", highlight=False)
        out.print(section.table(run))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("section", nargs="*", help=f"{', '.join(SECTIONS)}; all if none is named")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--largest", type=int, default=1_000_000, help="index of the matching")
    parser.add_argument("--queries", type=int, help="queries in Lucene Monitor (100,000)")
    parser.add_argument("--setup", default="", choices=monitor.SETUPS, help="its presearcher (all)")
    options = parser.parse_args()
    if unknown := set(options.section) - SECTIONS.keys():
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
