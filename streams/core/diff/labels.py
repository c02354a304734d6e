"""Short lines that belong to a new sentence: a label, an author, a date, a kind of item.

They stand elsewhere as well ("Medical aid" in each second entry of a list), and yet they have
come with the sentence next to them, or gone with it.
"""

from collections.abc import Sequence

from streams.core.diff.units import Unit
from streams.core.diff.window import Window

_SHORT = 5
"""Words that a label has less of."""


def with_labels(
    window: Window, bounds: tuple[int, int], units: Sequence[Unit], unknown: Sequence[Unit]
) -> list[Unit]:
    """Return units with the labels directly before and after their lines.

    ``bounds`` are the first line of the place and the one after it; lines with a unit that is
    ``unknown`` to the other snapshot are no labels.
    """
    taken = {unit.line for unit in unknown}
    beside = (unit.line + step for unit in units for step in (-1, 1))
    labels = (
        _label(window, number)
        for number in dict.fromkeys(beside)
        if number not in taken and bounds[0] <= number < bounds[1]
    )
    return sorted([*units, *filter(None, labels)], key=lambda unit: unit.start)


def _label(window: Window, number: int) -> Unit | None:
    line = window.lines[number]
    label = line.strip()
    if not label or len(label.split(None, _SHORT)) >= _SHORT:
        return None
    return Unit(label, window.starts[number] + line.index(label), number)
