"""A run as a picture: CPU milliseconds a check, on a logarithmic scale."""

from collections.abc import Iterator
from math import ceil, floor, log10
from pathlib import Path
from statistics import median

from bench.race.report import OURS, Record, marginal

LEAST = 0.01
"""Milliseconds: in a run that is too small, what is left after subtracting idle use may be 0."""
WIDTH, LEFT, RIGHT, BAR, GAP = 760, 250, 90, 18, 34
COLOURS = {True: "#1b7f5c", False: "#9aa5b1"}
_FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-weight="bold">CPU milliseconds a check (logarithmic)</text>
{content}
</svg>
"""


def draw(record: Record, path: Path) -> None:
    """Write the chart as SVG."""
    values = {
        (round_, name): max(LEAST, median(map(marginal, results)))
        for round_ in record.rounds()
        for name in record.names()
        if (results := record.of(name, round_))
    }
    top = GAP + 10
    content = list(_bars(values, top))
    height = top + len(values) * BAR + len(record.rounds()) * GAP
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_FRAME.format(width=WIDTH, height=height, content="\n".join(content)), "utf-8")


def _bars(values: dict[tuple[str, str], float], y: int) -> Iterator[str]:
    low, high = floor(log10(min(values.values()))), ceil(log10(max(values.values())))
    before = None
    for (round_, name), value in values.items():
        if round_ != before:
            y += 0 if before is None else GAP
            yield f'<text x="10" y="{y + 13}" font-weight="bold">{round_}</text>'
            before = round_
        length = (log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
        yield f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{name}</text>'
        yield (
            f'<rect x="{LEFT}" y="{y + 2}" width="{length:.0f}" height="{BAR - 4}" '
            f'fill="{COLOURS[name == OURS]}"/>'
        )
        yield f'<text x="{LEFT + length + 6:.0f}" y="{y + 13}">{value:.3g}</text>'
        y += BAR
