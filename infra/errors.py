"""The error of this package."""


class InfraError(Exception):
    """Something is missing or does not work on this machine; the message names the remedy."""
