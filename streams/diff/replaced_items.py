"""Distinguish the sentences of one item from those of two that replaced each other.

Two outages have a date, a number and a cause each; that those are alike makes no outage the
other one edited.
"""

from collections import defaultdict
from collections.abc import Iterable

from streams.diff.blocks import Blocks
from streams.diff.pairing import Pair

_Block = tuple[int, int]


def of_same_items(pairs: Iterable[Pair], old: Blocks, new: Blocks) -> list[Pair]:
    """Leave out the pairs of which one sentence is of a gone item and the other of a new one.

    A gone and a new block are one item if half of the lines in which they differ are paired with
    each other, by the weights of the pairs.
    """
    kept: list[Pair] = []
    between: defaultdict[tuple[_Block, _Block], list[Pair]] = defaultdict(list)
    for pair in pairs:
        blocks = old.around(pair.gone.line), new.around(pair.come.line)
        if all(start + 1 >= end for start, end in blocks):
            kept.append(pair)
        else:
            between[blocks].append(pair)
    for (gone, come), several in between.items():
        if not (old.is_new(gone) and new.is_new(come)) or _is_one(several, old, gone, new, come):
            kept += several
    return kept


def _is_one(pairs: list[Pair], old: Blocks, gone: _Block, new: Blocks, come: _Block) -> bool:
    paired = sum({pair.gone.line: pair.weight for pair in pairs}.values())
    others = sum({pair.come.line: pair.weight for pair in pairs}.values())
    before, after = _lines(old, gone), _lines(new, come)
    return paired >= len(before - after) and others >= len(after - before)


def _lines(blocks: Blocks, block: _Block) -> set[str]:
    return {line for each in blocks.window.lines[slice(*block)] if (line := each.strip())}
