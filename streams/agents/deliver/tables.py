"""The tables of deliver, by name."""

DELIVERED = "delivered"
"""What became of each notification: ``Delivered`` or ``DeliveryFailed``, by its id."""
OUTBOX = "outbox"
"""Notifications that wait for an attempt or a challenge: ``Queued``, by their ids."""
RECEIVERS = "receivers"
"""Recipients that have failed since their last success (``FailingClient``), whether they have
answered a challenge (``Proof``), and how many notifications subscriptions were sent on their day
(``DayCount``), each under its kind of key."""
GRANTS = "grants"
"""The challenges that were granted lately: ``GrantedChallenges``, by manager and by address."""
