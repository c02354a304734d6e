"""The pauses between attempts; settings import them as their default, and no record."""

RETRY_SCHEDULE: tuple[float, ...] = (0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
"""Seconds before each attempt (Standard Webhooks, "Deliverability and reliability")."""
