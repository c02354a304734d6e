"""Processes for work on strangers' data, killed at the limits."""
