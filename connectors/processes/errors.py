"""Why a process did not do its work on a document."""


class TooHard(Exception):
    """Work on a document had to be ended; the text is a short reason for people."""


class Interrupted(Exception):
    """Work ended for a reason that is not the document's; the text is a short reason for people."""
