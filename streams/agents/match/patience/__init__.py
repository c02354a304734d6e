"""Patience: what changed is notified once it stands, and not if it goes back before that."""
