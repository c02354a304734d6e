"""The names that programs beside the stages need to know, too; ``streams.topics`` has the rest."""

PREFIX = "vokter."
"""Goes before every topic's name, and every stage's consumer group, unless it is set."""

SUBSCRIPTION_REQUESTS = "subscription-requests"
SUBSCRIPTIONS = "subscriptions"
NOTIFICATIONS = "notifications"
DEAD_LETTERS = "dead-letters"

STAGES = ("schedule", "fetch", "match", "deliver", "record")
"""Behind the prefix, the stages' consumer groups."""
