"""Shows what two readers make of one page: the sentences and lines that differ."""

from collections.abc import Iterable, Iterator

from schemas.records.changes import Edit, Region

MAX_SHOWN = 2_000
"""Characters of what is shown."""


def shown_difference(regions: Iterable[Region]) -> str:
    """Return the lines that one text has (-) and the other has in their place (+), the first.

    What only moved is not shown.
    """
    lines, size = [], 0
    for line in _lines(regions):
        size += len(line) + 1
        if size > MAX_SHOWN:
            lines.append("…")
            break
        lines.append(line)
    return "\n".join(lines)


def edits_in(regions: Iterable[Region]) -> int:
    """Count the sentences and lines that differ."""
    return sum(len(region.edits) for region in regions)


def _lines(regions: Iterable[Region]) -> Iterator[str]:
    for region in regions:
        for edit in region.edits:
            if edit.change != "moved":
                yield from _sides(region, edit)


def _sides(region: Region, edit: Edit) -> Iterator[str]:
    for sign, place, sentence in (
        ("-", region.removed, edit.removed),
        ("+", region.added, edit.added),
    ):
        if place is not None and sentence is not None:
            text = " ".join(place.text[sentence.start : sentence.end].split())
            yield f"{sign} {text[: MAX_SHOWN // 4]}"
