"""The names of topics, without the prefix of a deployment.

They are apart from the records: settings need the names alone, and importing records takes time.
"""

PREFIX = "vokter."
"""What the names of topics and consumer groups begin with, unless it is set otherwise."""

SUBSCRIPTION_REQUESTS = "subscription-requests"
SUBSCRIPTIONS = "subscriptions"
FETCHES = "fetches"
RENDERS = "renders"
CHANGES = "changes"
PERCOLATIONS = "percolations"
INTERESTS = "interests"
HISTORY_REQUESTS = "history-requests"
CRAWLS = "crawls"
NOTIFICATIONS = "notifications"
ATTEMPTS = "attempts"
CHALLENGES = "challenges"
DELIVERIES = "deliveries"
DEAD_LETTERS = "dead-letters"
REPROCESSED = "reprocessed"
DEPLOYMENT = "deployment"

FORWARDED = "vokter-forwarded"
"""Header of a forwarded request: ``partition:offset:timestamp`` of where it was first read."""
MOVED = "vokter-moved"
"""Header of a message that waited while partitions were added, and was copied to its new one.

The original is in the log, too: who reads that skips the copy.
"""
