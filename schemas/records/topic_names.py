"""The prefix of topics, and headers of messages: settings need them without the records."""

PREFIX = "vokter."
"""The beginning of names of topics and consumer groups, unless another is set."""

FORWARDED = "vokter-forwarded"
"""Header of a forwarded request: ``partition:offset:timestamp`` of its first read."""
MOVED = "vokter-moved"
"""Header of a message copied to its new partition after partitions were added.

The original is in the log, too: a reader of both skips the copy."""
