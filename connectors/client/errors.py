"""What the library raises; all of it is a VokterError with a text for people."""

from connectors.api.answers import ANSWERS
from schemas import facts


class VokterError(Exception):
    """Anything that goes wrong between a program and Vokter."""


class Unreachable(VokterError):
    """No broker answers, or there is no Vokter with this prefix on it."""


class NoAnswerInTime(VokterError):
    """No worker has answered in time; the request may still be decided."""


class RequestRejected(VokterError):
    """A request was refused; ``code`` is that of the REST API (docs/rest.md), and so is the text.

    ``detail`` names the field and what is allowed, where there is more to say.
    """

    code: int

    def __init__(self, message: str, detail: str = "") -> None:
        super().__init__(f"{message} {detail}".strip())
        self.detail = detail


class InvalidUrl(RequestRejected):
    """The document's URL is none, or leads where it must not (code 1)."""

    code = 1


class InvalidSession(RequestRejected):
    """The session's name is none (code 2)."""

    code = 2


class NoKeyword(RequestRejected):
    """None of the keywords has a word (code 3)."""

    code = 3


class NothingToReport(RequestRejected):
    """Added and removed passages are both ignored (code 4)."""

    code = 4


class AlreadyWatched(RequestRejected):
    """The session watches this document already (code 5); ``replace=True`` changes that."""

    code = 5


class InvalidRequest(RequestRejected):
    """A value is out of range (code 6)."""

    code = 6


class NotWatched(RequestRejected):
    """The session does not watch this document (code 7)."""

    code = 7


_KINDS = {kind.code: kind for kind in RequestRejected.__subclasses__()}


def rejection(fact: facts.Rejected) -> RequestRejected:
    """Give the exception for a refusal."""
    _, message = ANSWERS[fact.code]
    return _KINDS[fact.code](message, fact.detail)
