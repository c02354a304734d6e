"""The exceptions of the library."""

from connectors.api.answers import ANSWERS
from schemas import facts


class VokterError(Exception):
    """The base of all exceptions of the library."""


class Unreachable(VokterError):
    """No broker or schema registry answers, or the broker has no Vokter with this prefix."""


class NoAnswerInTime(VokterError):
    """No worker answered before the timeout; the request may still be decided."""


class RequestRejected(VokterError):
    """A request was rejected; ``code`` and text are those of the REST API (docs/rest.md).

    ``detail`` names the field and the allowed values, if there is more to say.
    """

    code: int

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(f"{message} {detail}".strip())
        self.detail = detail


class InvalidUrl(RequestRejected):
    """The document's URL is invalid, or leads to an address that is not allowed (code 1)."""

    code = 1


class InvalidSession(RequestRejected):
    """The session's name is invalid (code 2)."""

    code = 2


class NoKeyword(RequestRejected):
    """None of the keywords contains a word (code 3)."""

    code = 3


class NothingToReport(RequestRejected):
    """Both added and removed passages are ignored (code 4)."""

    code = 4


class AlreadyWatched(RequestRejected):
    """The session already watches this document (code 5); use ``replace=True`` to change it."""

    code = 5


class InvalidRequest(RequestRejected):
    """A value is out of range (code 6)."""

    code = 6


class NotWatched(RequestRejected):
    """The session does not watch this document (code 7)."""

    code = 7


_KINDS = {kind.code: kind for kind in RequestRejected.__subclasses__()}


def rejection(fact: facts.Rejected) -> RequestRejected:
    """Return the exception for a request that was rejected."""
    _, message = ANSWERS[fact.code]
    return _KINDS[fact.code](message, fact.detail)
