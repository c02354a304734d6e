"""Why the engine does not start."""


class UnexpectedLibrary(Exception):
    """A library is not the one that the engine patches; the text says what to do."""
