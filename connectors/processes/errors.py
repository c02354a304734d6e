"""Why a process did not do its work on a document."""


class TooHard(Exception):
    """Work on a document had to be ended; the text is a short reason for people."""


class Busy(Exception):
    """No process became free in time; nothing is wrong with the document."""
