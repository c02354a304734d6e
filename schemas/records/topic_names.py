"""The prefix of topics, and headers of messages: settings need them without the records."""

PREFIX = "vokter."
"""The beginning of names of topics and consumer groups, unless another is set."""

FORWARDED = "vokter-forwarded"
"""Header of a forwarded request: ``partition:offset:timestamp`` of where it was first read."""
MOVED = "vokter-moved"
"""Header of a message that waited while partitions were added, and was copied to its new one.

The original is in the log, too: who reads that skips the copy.
"""
