"""Finds what changed between two snapshots of a document, sentence by sentence."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain

from schemas.answers import Heading
from schemas.changes import Region
from streams.core.diff.alignment import Region as Bounds
from streams.core.diff.alignment import differing_regions
from streams.core.diff.bounds import differing_lines, has_same_units
from streams.core.diff.copies import Lines, with_copies
from streams.core.diff.edits import LocatedEdit
from streams.core.diff.items import Items
from streams.core.diff.moves import first_move
from streams.core.diff.ordering import in_order
from streams.core.diff.pairing import Pair, pair_units
from streams.core.diff.places import regions_of
from streams.core.diff.window import JOINED_LINES, Window
from streams.core.text.units import Unit

# Lines that differ of which each is compared with others; of more, many together.
MAX_LINES = 100_000


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
    before, after = Window(old, *characters[:2]), Window(new, *characters[2:])
    bounds = differing_regions(before.lines, after.lines)
    if sum(b - a + d - c for a, b, c, d in bounds) > MAX_LINES:
        bounds = list(_coarser(bounds))
        places = [_joined(before, after, each) for each in bounds]
    else:
        places = _without_copies(before, after, _differing(before, after, bounds))
        places = with_copies(before, after, places)
    pairs = pair_units([(place.gone, place.come) for place in places])
    edits = list(_edits(before, after, places, pairs)) or first_move(before, after, bounds)
    return tuple(regions_of(old, new, edits, headings))


def _coarser(found: Sequence[Bounds]) -> Iterator[Bounds]:
    """Join what has few lines between."""
    a, b, c, d = found[0]
    for e, f, g, h in found[1:]:
        if e - b > JOINED_LINES:
            yield a, b, c, d
            a, c = e, g
        b, d = f, h
    yield a, b, c, d


def _joined(before: Window, after: Window, bounds: Bounds) -> Lines:
    """Return a place with many lines as each of its units."""
    a, b, c, d = bounds
    return Lines(bounds, list(before.joined_units(a, b)), list(after.joined_units(c, d)))


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
    went, came = _other_words(gone, come), _other_words(come, gone)
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


def _other_words(texts: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Return the texts that are none of the others, whatever the white space in them."""
    spaced = {" ".join(text.split()) for text in others}
    return frozenset(text for text in texts - others if " ".join(text.split()) not in spaced)


def _edits(
    before: Window, after: Window, places: Sequence[Lines], pairs: Iterable[Pair]
) -> Iterator[LocatedEdit]:
    """Yield the edits of all places, in document order."""
    partners = {come.start: gone for gone, come in pairs}
    paired = {gone.start for gone in partners.values()}
    gone_copies, come_copies = (
        frozenset(chain.from_iterable(place.copies[side] for place in places)) for side in (0, 1)
    )
    old = _items(before, after, [place.gone for place in places], paired, gone_copies)
    new = _items(after, before, [place.come for place in places], partners.keys(), come_copies)
    for (a, b, c, d), gone, come, _ in places:
        removed = old.complete([unit for unit in gone if unit.start not in paired], (a, b))
        added = new.complete([unit for unit in come if unit.start not in partners], (c, d))
        edited = [(partners[unit.start], unit) for unit in come if unit.start in partners]
        stretch = range(before.starts[a], before.starts[b])
        yield from in_order(stretch, after.starts[c], removed, added, edited)


def _items(
    here: Window,
    there: Window,
    found: Iterable[list[Unit]],
    paired: Collection[int],
    copies: frozenset[int],
) -> Items:
    units = [unit for several in found for unit in several]
    return Items(here, there, units, [unit for unit in units if unit.start not in paired], copies)
