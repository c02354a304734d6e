"""Finds what changed between two texts: ``regions.changed_regions`` is the way in.

regions.py     changed_regions: what came, went or was edited, sentence by sentence
  bounds.py      where two texts begin and end to differ
  window.py      the lines between, and what a snapshot has anywhere
  pairing.py     which sentence is which one edited
    likeness.py    how alike sentences are, with a bound on the work
  items.py       what belongs to a new item, though it stands elsewhere as well
  moves.py       the first sentence that moved, if nothing else changed
  ordering.py    the edits of a place, in order
    edits.py       edits with their offsets
    detail.py      how closely edited sentences are looked at
    sentences.py   the changed words of an edited sentence
    noise.py       edits of numbers, times, ids or form alone
  places.py      edits put into regions
    hull.py        which edits are near each other
    context.py     how much is kept around them
    headings.py    the headings above
comparison.py  the edits within a sentence: by words, then by units
  alignment.py     the longest common subsequence, in bounded time
  expressions.py   widens an edit to a whole expression: 99.95, node.js
cleanup.py     merges edits with next to nothing between them
"""
