"""Requirements on the key of a deployment; settings import this module, and no record."""

MIN_KEY = 32
"""Characters of a deployment's key."""
