"""What a reader raises."""


class Unreadable(Exception):
    """A document that cannot be read as text; the message says why.

    Example:
        >>> raise Unreadable("the PDF is encrypted")
        Traceback (most recent call last):
        connectors.readers.errors.Unreadable: the PDF is encrypted
    """
