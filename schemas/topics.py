"""The names of topics and stages; ``streams.topics`` says what travels on each topic."""

PREFIX = "vokter."
"""What the names of topics and consumer groups begin with, unless it is set otherwise."""

SUBSCRIPTION_REQUESTS = "subscription-requests"
SUBSCRIPTIONS = "subscriptions"
TICKS = "ticks"
FETCHES = "fetches"
CHANGES = "changes"
NOTIFICATIONS = "notifications"
ATTEMPTS = "attempts"
CHALLENGES = "challenges"
DELIVERIES = "deliveries"
DEAD_LETTERS = "dead-letters"
DEPLOYMENT = "deployment"

STAGES = ("schedule", "fetch", "match", "deliver", "record")
"""After the prefix, the stages' consumer groups."""
