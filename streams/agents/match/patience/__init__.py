"""Patience: a change is notified once standing, and not if reverted before."""
