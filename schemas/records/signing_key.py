"""Requirements on the key of a deployment; settings import this, and no record with it."""

MIN_KEY = 32
"""Characters of a deployment's key."""
