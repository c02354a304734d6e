"""Regions of changes, made without a comparison of texts."""

from collections.abc import Iterable

from schemas.records.changes import Edit, Place, Region, Sentence, Span

Words = tuple[tuple[int, int], ...]


def added(text: str) -> Region:
    """A sentence that is new."""
    return changed(None, text)


def removed(text: str) -> Region:
    """A sentence that is gone."""
    return changed(text, None)


def changed(old: str | None, new: str | None) -> Region:
    """A sentence that is gone, one that is new, or one in place of the other."""
    edits = [Edit("removed", _whole(old), None, "")] if old is not None else []
    edits += [Edit("added", None, _whole(new), "")] if new is not None else []
    return Region(_place(old), _place(new), (), tuple(edits))


def edited(old: str, new: str, went: Words, came: Words, noise: str = "") -> Region:
    """A sentence of which some words are gone, and some are new."""
    removed = Sentence(0, len(old), _spans(went))
    added = Sentence(0, len(new), _spans(came))
    return Region(_place(old), _place(new), (), (Edit("edited", removed, added, noise),))


def sentences(region: Region) -> tuple[str, str]:
    """What went and what came in a region, a line for each sentence."""
    texts: dict[str, list[str]] = {"removed": [], "added": []}
    for edit in region.edits:
        sides = ("removed", region.removed, edit.removed), ("added", region.added, edit.added)
        for event, place, side in sides:
            if place is not None and side is not None:
                texts[event].append(place.text[side.start : side.end])
    return "\n".join(texts["removed"]), "\n".join(texts["added"])


def _whole(text: str) -> Sentence:
    return Sentence(0, len(text), ())


def _place(text: str | None) -> Place | None:
    return None if text is None else Place(0, text)


def _spans(runs: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(*run) for run in runs)
