"""Finds what changed between two snapshots of a document, sentence by sentence."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

from schemas.records.answers import Heading
from schemas.records.changes import Region
from streams.diff.alignment import Region as Bounds
from streams.diff.blocks import Blocks, card_names, whole_blocks
from streams.diff.changed_lines import JOINED_LINES, Window
from streams.diff.common_ends import differing_lines, has_same_units
from streams.diff.dropped_entries import dropped_entries
from streams.diff.edits import EditFinder, LocatedEdit, first_move, in_order
from streams.diff.grouping import regions_of
from streams.diff.items import Items, of_same_items
from streams.diff.line_alignment import differing_blocks
from streams.diff.moved_items import MovedItem, moved_items
from streams.diff.neighbours import Neighbours
from streams.diff.pairing import Pair, pair_units
from streams.diff.repeated_sentences import Lines, with_copies
from streams.text.units import Unit

# Lines that differ of which each is compared with others; of more, many together.
MAX_LINES = 60_000

_Lines = tuple[int, int]
_Complete = Callable[[Sequence[Unit], _Lines, _Lines], Sequence[Unit]]


def _as_they_are(units: Sequence[Unit], _bounds: _Lines, _others: _Lines) -> Sequence[Unit]:
    """Return joined units: all lines of a place are in them already."""
    return units


def changed_regions(old: str, new: str, headings: Sequence[Heading] = ()) -> tuple[Region, ...]:
    """Compare two snapshots, and return what changed, in document order.

    A sentence, line or row that stands verbatim anywhere in the other snapshot has neither come
    nor gone, unless there are more or fewer of it than before. One that is like another is that
    one edited, and the words that differ are marked; any other was removed or added as a whole.
    If only the order of sentences changed, the first that moved is returned. White space alone
    is no change. ``headings`` are those of the new text::

        (region,) = changed_regions("The giant sleeps.", "The giant wakes.")
        (edit,) = region.edits
        edit.change, edit.added.changed  # "edited", (Span(10, 15),)

    Snapshots must be in NFKC and without NUL. The work is bounded; texts that are too large
    for it have fewer pairs, and larger edits.
    """
    characters = differing_lines(old, new)
    if characters is None:
        return ()
    a, b, c, d = whole_blocks(old, characters)
    before, after = Window(old, a, b), Window(new, c, d)
    bounds = differing_blocks(before.lines, after.lines)
    if sum(b - a + d - c for a, b, c, d in bounds) > MAX_LINES:
        bounds = list(_coarser(bounds))
        places = [  # with many lines as each of their units
            Lines(each, list(before.joined_units(*each[:2])), list(after.joined_units(*each[2:])))
            for each in bounds
        ]
        found = _edits(before, after, places, _pairs(before, after, places))
    else:
        places = _without_copies(before, after, _differing(before, after, bounds))
        names = _names(new, headings, c, d) | card_names(before, after)
        places = with_copies(before, after, places, names)
        found = _edits_of_items(before, after, places, names, headings)
    edits = list(found) or first_move(before, after, bounds)
    return tuple(regions_of(old, new, edits, headings))


def _names(text: str, headings: Sequence[Heading], start: int, end: int) -> frozenset[str]:
    """Return the headings between two offsets."""
    starts = (each.start for each in headings if start <= each.start < end)
    ends = ((at, text.find("\n", at, end)) for at in starts)
    return frozenset(text[at : stop if stop >= 0 else end].strip() for at, stop in ends)


def _coarser(found: Sequence[Bounds]) -> Iterator[Bounds]:
    """Join what has few lines between."""
    a, b, c, d = found[0]
    for e, f, g, h in found[1:]:
        if e - b > JOINED_LINES:
            yield a, b, c, d
            a, c = e, g
        b, d = f, h
    yield a, b, c, d


def _differing(before: Window, after: Window, found: Iterable[Bounds]) -> Iterator[Lines]:
    """Yield the places that differ, with their units in lines that the other has nowhere."""
    for a, b, c, d in found:
        gone = list(before.units(a, b, after.line_set))
        come = list(after.units(c, d, before.line_set))
        if gone and come and has_same_units(before.between(a, b), after.between(c, d)):
            gone, come = [], []
        yield Lines((a, b, c, d), gone, come)


def _without_copies(before: Window, after: Window, found: Iterable[Lines]) -> list[Lines]:
    """Leave out the units that stand verbatim anywhere in the other snapshot."""
    places = list(found)
    gone = frozenset(unit.text for place in places for unit in place.gone)
    come = frozenset(unit.text for place in places for unit in place.come)
    went, came = _with_other_words(gone, come)
    went -= after.standing(went)
    came -= before.standing(came)
    return [
        Lines(
            place.bounds,
            [unit for unit in place.gone if unit.text in went],
            [unit for unit in place.come if unit.text in came],
        )
        for place in places
    ]


def _with_other_words(
    gone: frozenset[str], come: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the texts that are none of the other ones, whatever the white space in them."""
    old, new = ({text: " ".join(text.split()) for text in side} for side in (gone, come))
    both = set(old.values()) & set(new.values())
    went, came = ([text for text in side if side[text] not in both] for side in (old, new))
    return frozenset(went), frozenset(came)


def _pairs(
    before: Window,
    after: Window,
    places: Iterable[Lines],
    moved: Sequence[MovedItem] = (),
) -> list[Pair]:
    """Pair the units of each place, and of each of the ``moved`` items."""
    went = {unit.start for item in moved for unit in item.gone}
    came = {unit.start for item in moved for unit in item.come}
    units = [(_without(place.gone, went), _without(place.come, came)) for place in places]
    return pair_units(
        [*units, *((each.gone, each.come) for each in moved)], Neighbours(before, after)
    )


def _edits_of_items(
    before: Window,
    after: Window,
    places: Sequence[Lines],
    names: frozenset[str],
    headings: Sequence[Heading],
) -> Iterator[LocatedEdit]:
    """Yield the edits of all places, with all that new items have."""
    gone = [unit for place in places for unit in place.gone]
    come = [unit for place in places for unit in place.come]
    copies = [frozenset(chain.from_iterable(place.copies[side] for place in places))
              for side in (0, 1)]  # fmt: skip
    differing = [each.differing for each in places]
    moved = moved_items(before, after, places, names)
    found = _pairs(before, after, places, moved)
    ends = {pair.gone.start: pair.come.start for pair in found}
    kept = [each for each in moved if each.has_pair(ends)]
    blocks = (
        Blocks(before, after, (each for each, _ in differing), {each.was for each in kept}),
        Blocks(after, before, (each for _, each in differing), {each.now for each in kept}),
    )
    pairs = of_same_items(found, *blocks, names)
    old = Items(*blocks, gone, _without(gone, {pair.gone.start for pair in pairs}), copies[0])
    new = Items(*blocks[::-1], come, _without(come, {pair.come.start for pair in pairs}), copies[1])
    partners = {pair.come.start: pair for pair in pairs}
    dropped = list(dropped_entries(before, after, places, partners, headings))
    edits = _edits(before, after, places, pairs, (old.complete, new.complete))
    if not dropped:
        return edits
    return (edit._replace(dropped=_is_within(edit, dropped)) for edit in edits)


def _is_within(edit: LocatedEdit, stretches: Iterable[range]) -> bool:
    """Whether an edit removed some of the characters of these stretches."""
    gone = edit.removed
    return edit.added is None and gone is not None and any(gone.start in each for each in stretches)


def _edits(
    before: Window,
    after: Window,
    places: Iterable[Lines],
    pairs: Sequence[Pair],
    complete: tuple[_Complete, _Complete] = (_as_they_are, _as_they_are),
) -> Iterator[LocatedEdit]:
    """Yield the edits of all places, in document order."""
    partners = {pair.come.start: pair for pair in pairs}
    paired = {pair.gone.start for pair in pairs}
    detail = EditFinder()
    for place in places:
        a, b, c, d = place.bounds
        removed = complete[0](_without(place.gone, paired), (a, b), (c, d))
        added = complete[1](_without(place.come, partners), (c, d), (a, b))
        edited = [partners[each.start] for each in place.come if each.start in partners]
        stretch = range(before.starts[a], before.starts[b])
        yield from in_order(stretch, after.starts[c], removed, added, edited, detail)


def _without(units: Iterable[Unit], starts: Collection[int]) -> list[Unit]:
    return [unit for unit in units if unit.start not in starts]
