"""Puts edits that are near each other into one region, with what stands around them."""

from collections.abc import Iterable, Iterator, Sequence

from schemas.records.answers import Heading
from schemas.records.changes import Edit, Place, Region, Sentence, Span
from streams.diff.context import context_end, context_start
from streams.diff.edits import Located, LocatedEdit
from streams.diff.headings import Headings
from streams.diff.neighbourhood import Hull


def regions_of(
    old: str, new: str, edits: Iterable[LocatedEdit], headings: Sequence[Heading]
) -> Iterator[Region]:
    """Yield regions of edits that are given in document order."""
    titles = Headings(new, headings)
    for several in _near(edits):
        before = _place(old, [each.removed for each in several if each.removed])
        after = _place(new, [each.added for each in several if each.added])
        at = min(each.at for each in several)
        is_gone = all(each.added is None for each in several if each.at == at)
        yield Region(
            before,
            after,
            titles.above(at, removed=is_gone),
            tuple(_edit(each, before, after) for each in several),
        )


def _near(edits: Iterable[LocatedEdit]) -> Iterator[list[LocatedEdit]]:
    """Group edits if what stands around them would overlap, on both sides."""
    several: list[LocatedEdit] = []
    hull = Hull()
    for edit in edits:
        if not hull.takes(edit) and several:
            yield several
            several, hull = [], Hull()
            hull.takes(edit)
        several.append(edit)
    if several:
        yield several


def _place(text: str, sentences: Sequence[Located]) -> Place | None:
    if not sentences:
        return None
    start = context_start(text, min(each.start for each in sentences))
    return Place(start, text[start : context_end(text, max(each.end for each in sentences))])


def _edit(edit: LocatedEdit, before: Place | None, after: Place | None) -> Edit:
    return Edit(
        edit.change,
        _sentence(edit.removed, before),
        _sentence(edit.added, after),
        edit.noise,
    )


def _sentence(found: Located | None, place: Place | None) -> Sentence | None:
    if found is None or place is None:
        return None
    start, end, runs = found
    changed = tuple([Span(first - place.start, last - place.start) for first, last in runs])
    return Sentence(start - place.start, end - place.start, changed)
