"""The exceptions of the library."""

from schemas.records.codes import Code
from schemas.records.faults import Fault
from schemas.records.subscription_facts import Rejected


class VokterError(Exception):
    """The base of all exceptions of the library."""


class Unreachable(VokterError):
    """No broker or schema registry answers, or the broker has no Vokter with this prefix."""


class NoAnswerInTime(VokterError):
    """No worker answered before the timeout; the request may still be decided."""


class RequestRejected(VokterError):
    """A request was rejected; ``code`` and text are those of the REST API (docs/rest.md).

    ``detail`` names the field and the allowed values, if there is more to say; ``faults`` are all
    wrong fields.
    """

    code: Code

    def __init__(self, message: str, detail: str = "", faults: tuple[Fault, ...] = ()) -> None:
        super().__init__(f"{message} {detail}".strip())
        self.detail = detail
        self.faults = faults


class InvalidUrl(RequestRejected):
    """The document's URL is invalid, or leads to a forbidden address (code 1)."""

    code = Code.INVALID_DOCUMENT_URL


class InvalidSession(RequestRejected):
    """The session's name is invalid (code 2)."""

    code = Code.INVALID_CLIENT_URL


class NoKeyword(RequestRejected):
    """None of the keywords contains a word (code 3)."""

    code = Code.NO_KEYWORD


class NothingToReport(RequestRejected):
    """Both added and removed passages are ignored (code 4)."""

    code = Code.NOTHING_TO_REPORT


class AlreadyWatched(RequestRejected):
    """The session watches this document in another way (code 5); see ``replace=True``."""

    code = Code.CONFLICT


class InvalidRequest(RequestRejected):
    """A value is out of range (code 6)."""

    code = Code.INVALID_FORMAT


class NotWatched(RequestRejected):
    """The session does not watch this document (code 7)."""

    code = Code.NO_SUCH_SUBSCRIPTION


class Paused(RequestRejected):
    """The subscription is paused, so its document is not checked (code 16)."""

    code = Code.PAUSED


_KINDS = {kind.code: kind for kind in RequestRejected.__subclasses__()}


def rejection(fact: Rejected) -> RequestRejected:
    """Return the exception for a rejected request."""
    code = Code(fact.code)
    error = _KINDS.get(code, RequestRejected)(code.message, fact.detail, fact.faults)
    error.code = code
    return error
