"""What a reader raises."""


class Unreadable(Exception):
    """A document that cannot be read as text; the message says why.

    Example:
        >>> raise Unreadable("the PDF is encrypted")
        Traceback (most recent call last):
        connectors.readers.errors.Unreadable: the PDF is encrypted
    """


class NothingSelected(Unreadable):
    """A page in which the selectors of a view find nothing."""


def nothing_selected() -> NothingSelected:
    """Return the error for a page in which the selectors of a view find nothing."""
    return NothingSelected("nothing on the page matches view.select")
