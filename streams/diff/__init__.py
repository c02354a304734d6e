"""Finds what changed between two texts: ``regions.changed_regions`` is the way in.

regions.py     changed_regions: what came, went or was edited, sentence by sentence
  common_ends.py         where two texts begin and end to differ
  changed_lines.py       the lines between, their lists, and what a snapshot has anywhere
  line_alignment.py      the regions of lines that differ, each line in its place
  repeated_sentences.py  sentences of which there are more or fewer than before
  pairing.py             which sentence is which one edited
    neighbours.py          which sentences stand next to the same line
    similarity.py          how alike sentences are, with a bound on the work
  items.py               items: what belongs to a new one, and which replaced which
    blocks.py              the blocks of lines that are items
  edits.py               the edits of a place with their offsets, in order
    sentences.py           the changed words of an edited sentence
    noise.py               edits of numbers, times, ids or form alone
  grouping.py            edits put into regions, with context and the headings above
comparison.py  the edits within a sentence: by words, then by units
  alignment.py   the longest common subsequence, in bounded time
moved_blocks.py  the blocks of lines that moved, where two snapshots are compared
pieces.py      a side of a change, cut into sentences
picture_changes.py  how much of a picture of a page changed
"""
