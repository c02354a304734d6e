"""The error that this package raises."""


class InfraError(Exception):
    """Something is missing or does not work on this machine; the message says what to do."""
