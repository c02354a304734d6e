"""The REST answers: a code, a message, an HTTP status."""

from typing import Any

from aiohttp import web

OK = 0
INVALID_DOCUMENT = 1
INVALID_CLIENT = 2
INVALID_FORMAT = 6
NO_ACCESS = 8
NO_ANSWER = 9
QUOTA = 10
UNKNOWN = 11

# code → (HTTP status, message); as the original had them, and from 8 on
ANSWERS = {
    OK: (200, ""),
    INVALID_DOCUMENT: (400, "The provided document URL is invalid."),
    INVALID_CLIENT: (400, "The provided client URL is invalid."),
    3: (400, "You need to provide at least one valid keyword."),
    4: (400, "At least one difference event ('added' or 'removed') must not be ignored."),
    5: (
        409,
        (
            "The request conflicts with an existing active job, since the provided document URL "
            "is already being watched and notified to the provided client URL."
        ),
    ),
    INVALID_FORMAT: (415, "The request body has an invalid format."),
    7: (404, "The specified job to cancel does not exist."),
    NO_ACCESS: (401, "The API key is missing or wrong."),
    NO_ANSWER: (503, "No worker answered in time. Please repeat the call."),
    QUOTA: (429, "The quota of this API key is used up."),
    UNKNOWN: (404, "Nothing of this name is known here."),
}


def answer(code: int, **more: Any) -> web.Response:
    """Make the HTTP response for a code; fields in ``more`` that are empty are left out."""
    status, message = ANSWERS[code]
    extra = {name: value for name, value in more.items() if value}
    return web.json_response({"code": str(code), "message": message, **extra}, status=status)
