"""The net edits of several changes of a page, sentence by sentence.

A page counts as a collection of sentences: each edit removes a sentence, adds a sentence, or both.
A sentence added by an edit and removed by a later edit is there for nobody; the rest of both is an
edit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from schemas.records.changes import Edit, Place, Region, Sentence, Span
from streams.diff.regions import changed_regions

MOVED = "moved"


class Side(NamedTuple):
    """A sentence on a side of an edit, in its place."""

    place: Place
    sentence: Sentence

    @property
    def text(self) -> str:
        """The sentence itself; white space is no difference."""
        start, end = self.sentence.start, self.sentence.end
        return " ".join(self.place.text[start:end].split())


@dataclass(frozen=True, slots=True)
class NetEdit:
    """An edit of the change with this number; ``region`` is its region."""

    change: int
    region: Region
    edit: Edit

    @property
    def before(self) -> Side | None:
        """The sentence removed from the page."""
        return _side(self.region.removed, self.edit.removed)

    @property
    def after(self) -> Side | None:
        """The sentence added to the page."""
        return _side(self.region.added, self.edit.added)


class Superseded(NamedTuple):
    """An edit changed again by later edits, and whether undone."""

    edit: NetEdit
    is_undone: bool


class NetEdits:
    """The edits of several changes, of which none undoes another.

    net = NetEdits()
    net.add(0, changed_regions("Zeus.", "Zeus. Hera."))
    net.add(1, changed_regions("Zeus. Hera.", "Zeus."))
    net.of(0), net.of(1)  # (), ()
    """

    def __init__(self) -> None:
        self.superseded: list[Superseded] = []
        self._edits: dict[int, NetEdit] = {}
        self._numbers: defaultdict[int, dict[int, None]] = defaultdict(dict)
        """The numbers of the edits of each change, in order."""
        self._count = 0
        self._sides: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        """The numbers of the edits which removed (``before``) or added (``after``) a sentence."""

    def of(self, change: int) -> tuple[Region, ...]:
        """Return the regions of the rest of a change, in their first order."""
        found: dict[int, list[NetEdit]] = {}
        for number in self._numbers.get(change, ()):
            each = self._edits[number]
            found.setdefault(id(each.region), []).append(each)
        regions: list[Region] = []
        for edits in found.values():
            region, kept = edits[0].region, tuple(each.edit for each in edits)
            # Sides without edits are left.
            removed = region.removed if any(each.removed for each in kept) else None
            added = region.added if any(each.added for each in kept) else None
            regions.append(replace(region, removed=removed, added=added, edits=kept))
        return tuple(regions)

    def add(self, change: int, regions: Iterable[Region]) -> None:
        """Add the edits of a change to the edits of the changes before."""
        for region in regions:
            for edit in region.edits:
                self._add(NetEdit(change, region, edit))

    def _add(self, new: NetEdit) -> None:
        earlier = self._taken("after", new.before)
        if new.edit.change == MOVED:
            # What is elsewhere now is on the page still.
            self._put(earlier or new)
            return
        later = self._taken("before", new.after)
        if earlier is None and later is None:
            self._put(new)
            return
        before = new.before if earlier is None else earlier.before
        after = new.after if later is None else later.after
        owner = new.change
        if earlier is not None and new.edit.noise and not earlier.edit.noise:
            # In a really edited sentence, a counting number is no new edit.
            owner = earlier.change
        left = list(_edits_between(owner, new, before, after))
        for each in (earlier, later):
            if each is not None and each.change not in {new.change, owner}:
                self.superseded.append(Superseded(each, not left))
        for edit in left:
            self._put(edit)

    def _put(self, edit: NetEdit) -> None:
        self._edits[self._count] = edit
        self._numbers[edit.change][self._count] = None
        for name, side in (("before", edit.before), ("after", edit.after)):
            if side is not None:
                self._sides[name, side.text].append(self._count)
        self._count += 1

    def _taken(self, name: str, side: Side | None) -> NetEdit | None:
        """Remove and return the last edit with a sentence on this side."""
        numbers = [] if side is None else self._sides[name, side.text]
        while numbers:
            number = numbers.pop()
            found = self._edits.pop(number, None)
            if found is not None:
                del self._numbers[found.change][number]
                return found
        return None


def _edits_between(
    change: int, new: NetEdit, before: Side | None, after: Side | None
) -> Iterator[NetEdit]:
    """Yield the edits from a sentence, or none, to another, or none.

    They are a part of ``change``, and ``new`` is the last edit among them.
    """
    places = None if before is None else before.place, None if after is None else after.place
    if before is None or after is None:
        kind = "removed" if after is None else "added"
        edit = Edit(kind, _whole(before), _whole(after), "", dropped=new.edit.dropped)
        edits = [edit] if before or after else []
    else:
        found = changed_regions(_raw(before), _raw(after))
        edits = [
            replace(
                each,
                removed=_shifted(each.removed, sub.removed, before),
                added=_shifted(each.added, sub.added, after),
            )
            for sub in found
            for each in sub.edits
        ]
    around = Region(*places, new.region.headings, tuple(edits))
    for edit in edits:
        yield NetEdit(change, around, edit)


def _shifted(part: Sentence | None, found: Place | None, side: Side) -> Sentence | None:
    if part is None or found is None:
        return None
    by = found.start + side.sentence.start
    changed = tuple(Span(span.start + by, span.end + by) for span in part.changed)
    return Sentence(part.start + by, part.end + by, changed)


def _whole(side: Side | None) -> Sentence | None:
    return None if side is None else replace(side.sentence, changed=())


def _raw(side: Side) -> str:
    return side.place.text[side.sentence.start : side.sentence.end]


def _side(place: Place | None, sentence: Sentence | None) -> Side | None:
    return None if place is None or sentence is None else Side(place, sentence)
