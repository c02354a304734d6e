"""Fields of an item with equal changes, which people read as a single entry."""

from collections.abc import Iterable, Iterator, Sequence

from connectors.display.replaced_lines import MAX_REPLACED, is_replaced
from schemas.records.changes import Diff

MAX_FIELDS = 8
"""Fields of an entry, or rows."""
MAX_ROW = 120
"""Characters of a row shown with others of its table."""

_Group = Sequence[Diff]


def items_of(groups: Iterable[_Group]) -> Iterator[list[_Group]]:
    """Yield groups of entries, the fields of an item, or the rows of a table, together.

    Each group has the entries of a passage, edit or replaced line. A field is a short line below
    the line before, with no empty line between, and has a heading. Rows with as many cells below a
    heading are in the same table.
    """
    item: list[_Group] = []
    for group in groups:
        if item and (len(item) == MAX_FIELDS or not _is_next_field(item[-1], group)):
            yield item
            item = []
        item.append(group)
    if item:
        yield item


def _is_next_field(one: _Group, other: _Group) -> bool:
    above, below = one[-1], other[-1]
    if not above.headings or _kind(one) != _kind(other):
        return False
    if _cells(above) == _cells(below) > 0:
        return max(len(_now(above)), len(_now(below))) <= MAX_ROW
    texts = [text for each in (*one, *other) for text in (each.before, each.after, each.text)]
    if max(map(len, texts)) > MAX_REPLACED or any({*"\n\t"} & {*text} for text in texts):
        return False
    # The same state may stand in the item before.
    changed = above.marks.snippet.changed
    begin = above.snippet.rfind("\n", 0, changed[0].start) + 1 if changed else 0
    after = above.snippet[begin:].partition(_now(above))[2].partition("\n\n")[0]
    return _now(below) in after.split("\n")


def _cells(diff: Diff) -> int:
    """Count the cells of a row but the first; none outside of rows."""
    line = _now(diff)
    return 0 if "\n" in line else line.count("\t")


def _kind(group: _Group) -> tuple[object, ...]:
    last = group[-1]
    is_edit = is_replaced(group) or last.change == "edited"
    return is_edit or last.change, last.event, last.headings, last.dropped


def _now(diff: Diff) -> str:
    """Return a line of its side of the change."""
    return (diff.after if diff.event == "added" else diff.before) or diff.text
