"""The one error of this package."""


class InfraError(Exception):
    """Something that the machine lacks or refuses; the message names the remedy."""
