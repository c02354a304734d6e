"""What changed between two texts, in a form that tests can compare."""

from schemas.records.answers import Heading
from schemas.records.changes import Place, Region, Sentence
from streams.diff.regions import changed_regions

Told = tuple[str, str | None, str | None]


def sentence(found: Sentence | None, place: Place | None) -> str | None:
    """Return a sentence with its runs of changed words in brackets."""
    if found is None:
        return None
    assert place is not None
    text, end = "", found.start
    for span in found.changed:
        text += place.text[end : span.start] + "[" + place.text[span.start : span.end] + "]"
        end = span.end
    return text + place.text[end : found.end]


def edits(regions: tuple[Region, ...]) -> list[Told]:
    """Return kind, old and new sentence of each edit, without what is around them."""
    return [
        (edit.change, sentence(edit.removed, region.removed), sentence(edit.added, region.added))
        for region in regions
        for edit in region.edits
    ]


def changed(old: str, new: str, headings: tuple[Heading, ...] = ()) -> list[Told]:
    """Return the edits that lead from one text to the other."""
    return edits(changed_regions(old, new, headings))
