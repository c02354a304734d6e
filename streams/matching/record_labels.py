"""Labels of records, such as ``duration`` in a list of videos which come and go."""

from collections.abc import Iterator, Sequence

from schemas.records.changes import Span
from streams.matching.sentences import ADDED, REMOVED, ChangedSentence
from streams.text.units import FIELD

_WHOLE = {ADDED, REMOVED}
_LEAST = 3
"""Fields of a record, at least."""
_GAP = "\n\n"
"""Stands between two records."""


def values_of_records(sentences: Sequence[ChangedSentence]) -> dict[int, Span]:
    """Return the values, by the numbers of their sentences, of labels that came and went.

    Labels are no news if a record with the label came and another went. A record is a new or gone
    block of fields, next to a block that begins with the same label.
    """
    found = list(_fields(sentences))
    events = {(label, sentences[number].event) for label, number, _ in found}
    return {
        number: value
        for label, number, value in found
        if {(label, ADDED), (label, REMOVED)} <= events
    }


def _fields(sentences: Sequence[ChangedSentence]) -> Iterator[tuple[str, int, Span]]:
    """Yield the fields of records: the label, the number of the sentence, and the value."""
    whole = [(number, each) for number, each in enumerate(sentences) if each.change in _WHOLE]
    starts = {(id(each.place), each.start) for _, each in whole}
    known: dict[tuple[int, int], bool] = {}
    for number, each in whole:
        text, start = each.place.text, each.start
        field = FIELD.match(text, start, each.end)
        if not field or text[max(0, start - 1) : start] not in ("", "\n"):
            continue
        gap = text.rfind(_GAP, 0, start)
        first = gap + len(_GAP) if gap >= 0 else 0
        block = id(each.place), first
        if block not in known:
            known[block] = block in starts and _is_record(text, first)
        if known[block]:
            yield field[0], number, Span(field.end(), each.end)


def _is_record(text: str, start: int) -> bool:
    """Whether a block is of fields, and begins with the same label as a block next to the first."""
    gap = text.find(_GAP, start)
    lines = text[start : gap if gap >= 0 else len(text)].split("\n")
    fields = [FIELD.match(line) for line in lines]
    if len(lines) < _LEAST or not all(field and field[0].endswith(": ") for field in fields):
        return False
    label = lines[0].partition(": ")[0] + ": "
    before = text.rfind(_GAP, 0, max(0, start - len(_GAP)))
    starts = (before + len(_GAP) if before >= 0 else 0, gap + len(_GAP) if gap >= 0 else start)
    return any(at != start and text.startswith(label, at) for at in starts)
