"""Reasons why requests fail, for people and for counters."""

import errno

from aiohttp import (
    ClientConnectorDNSError,
    ClientError,
    InvalidURL,
)

from connectors.http.egress import AddressRefused

NETWORK_ERRORS = (ClientError, OSError, ValueError)

_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS}
_MAX_LENGTH = 200
_DNS = ClientConnectorDNSError
_WORDS = (
    ((InvalidURL, UnicodeError), "invalid URL"),
    (TimeoutError, "timed out"),
    (_DNS, "host name look-up failed"),
)


class FetchFailed(Exception):
    """A document could not be fetched; the text is a short reason."""


def failure_reason(error: BaseException) -> str:
    """Return why a request failed, in at most 200 printable ASCII characters.

    Re-raises an OSError that says that this machine has run out of file descriptors or
    memory: the other side must not be blamed for it.

    >>> failure_reason(TimeoutError())
    'timed out'
    """
    if isinstance(error, OSError) and error.errno in _OUT_OF_RESOURCES:
        raise error
    text = " ".join(_words(error).split())
    return text.encode("ascii", "backslashreplace").decode()[:_MAX_LENGTH]


def failure_class(failure: FetchFailed) -> str:
    """Return one of five classes of failures, as a metric's label.

    ``declined`` are the pages that we refused: because of robots.txt, their size or
    encoding, or too many redirects.
    """
    cause = failure.__cause__
    if cause is None:
        return "declined"
    cause = cause.__cause__ if isinstance(cause.__cause__, AddressRefused) else cause
    classes = ((AddressRefused, "refused"), (TimeoutError, "timeout"), (_DNS, "dns"))
    return next((name for kind, name in classes if isinstance(cause, kind)), "network")


def _words(error: BaseException) -> str:
    # aiohttp wraps what the resolver raised; a refusal is the reason that matters.
    error = error.__cause__ if isinstance(error.__cause__, AddressRefused) else error
    for kinds, words in _WORDS:
        if isinstance(error, kinds):
            return words
    cause = getattr(error, "certificate_error", error)
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
