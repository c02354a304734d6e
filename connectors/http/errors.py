"""What went wrong with a request, in a few words for the people concerned."""

import errno

from aiohttp import (
    ClientConnectorDNSError,
    ClientError,
    InvalidURL,
)

from connectors.http.egress import AddressRefused

NETWORK_ERRORS = (ClientError, OSError, ValueError)

_OURS = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS}
_MAX_LENGTH = 200
_DNS = ClientConnectorDNSError
_WORDS = (
    ((InvalidURL, UnicodeError), "invalid URL"),
    (TimeoutError, "timed out"),
    (_DNS, "host name look-up failed"),
)


class FetchFailed(Exception):
    """A document could not be fetched; the text is a short reason for people."""


def failure_reason(error: BaseException) -> str:
    """Say why a request failed: printable ASCII, at most 200 characters.

    Re-raises an OSError that is this machine's own want (file descriptors,
    memory): the other side must not be blamed for it.
    """
    if isinstance(error, OSError) and error.errno in _OURS:
        raise error
    text = " ".join(_words(error).split())
    return text.encode("ascii", "backslashreplace").decode()[:_MAX_LENGTH]


def failure_class(failure: FetchFailed) -> str:
    """Give one of five classes of failures: for counting, not for people.

    ``declined`` is what we would not take: a robots.txt, a size, an encoding, too many
    redirects.
    """
    cause = failure.__cause__
    if cause is None:
        return "declined"
    cause = cause.__cause__ if isinstance(cause.__cause__, AddressRefused) else cause
    classes = ((AddressRefused, "refused"), (TimeoutError, "timeout"), (_DNS, "dns"))
    return next((name for kind, name in classes if isinstance(cause, kind)), "network")


def _words(error: BaseException) -> str:
    # What went wrong in a look-up is inside; if it was refused, that is the reason.
    error = error.__cause__ if isinstance(error.__cause__, AddressRefused) else error
    for kinds, words in _WORDS:
        if isinstance(error, kinds):
            return words
    cause = getattr(error, "certificate_error", error)
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
