"""The codes of answers to a request, in REST and in Rejected: each with HTTP status and message."""

from enum import IntEnum


class Code(IntEnum):
    """A code; those of the register are 0 to 7, the others are REST's alone.

    >>> Code.CONFLICT, Code.CONFLICT.status
    (<Code.CONFLICT: 5>, 409)
    """

    OK = 0
    INVALID_DOCUMENT_URL = 1
    INVALID_CLIENT_URL = 2
    NO_KEYWORD = 3
    NOTHING_TO_REPORT = 4
    CONFLICT = 5
    INVALID_FORMAT = 6
    NO_SUCH_SUBSCRIPTION = 7
    NO_ACCESS = 8
    NO_ANSWER = 9
    QUOTA = 10
    UNKNOWN = 11
    TOO_SLOW = 12
    NO_SUCH_METHOD = 13
    INVALID_HTTP = 14
    NO_ROLE = 15
    PAUSED = 16

    @property
    def status(self) -> int:
        """The HTTP status of an answer with this code."""
        return _ANSWERS[self][0]

    @property
    def message(self) -> str:
        """The meaning of the code, for people."""
        return _ANSWERS[self][1]

    def text(self, detail: str) -> str:
        """Return the message, with a detail added.

        >>> Code.INVALID_FORMAT.text("interval: 60 to 315360000 seconds are allowed")
        'The request body has an invalid format. interval: 60 to 315360000 seconds are allowed'
        """
        return f"{self.message} {detail}".strip()


_ANSWERS = {
    Code.OK: (200, ""),
    Code.INVALID_DOCUMENT_URL: (400, "The provided document URL is invalid."),
    Code.INVALID_CLIENT_URL: (400, "The provided client URL is invalid."),
    Code.NO_KEYWORD: (400, "You need to provide at least one valid keyword."),
    Code.NOTHING_TO_REPORT: (
        400,
        "At least one difference event ('added' or 'removed') must not be ignored.",
    ),
    Code.CONFLICT: (
        409,
        (
            "The request conflicts with an existing active job, since the provided document URL "
            "is already being watched and notified to the provided client URL."
        ),
    ),
    Code.INVALID_FORMAT: (415, "The request body has an invalid format."),
    Code.NO_SUCH_SUBSCRIPTION: (404, "The specified job to cancel does not exist."),
    Code.NO_ACCESS: (401, "The API key is missing or wrong."),
    Code.NO_ANSWER: (503, "No worker answered in time. Please repeat the request."),
    Code.QUOTA: (429, "A quota is used up."),
    Code.UNKNOWN: (404, "There is nothing with this id or URL."),
    Code.TOO_SLOW: (408, "The request took too long to arrive."),
    Code.NO_SUCH_METHOD: (405, "The path does not allow this method."),
    Code.INVALID_HTTP: (400, "The HTTP request is invalid."),
    Code.NO_ROLE: (403, "The API key's role does not allow this."),
    Code.PAUSED: (409, "The subscription is paused. Resume it first."),
}
