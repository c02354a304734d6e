"""Finds what changed between two texts, by words: ``passages.hunks`` is the way in.

passages.py      hunks: the changes, with the text around them
comparison.py  the edits: by lines, then by words, then by units
alignment.py   the longest common subsequence, in bounded time
expressions.py widens an edit to a whole expression: 99.95, node.js
cleanup.py     merges edits with next to nothing between them
"""
