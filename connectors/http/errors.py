"""Reasons why requests fail, for people and for counters."""

import errno
import os
import socket
from ssl import SSLError

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientPayloadError,
    ClientProxyConnectionError,
    ClientResponseError,
    ClientSSLError,
    InvalidURL,
    ServerDisconnectedError,
)

from connectors.http.egress import AddressRefused
from connectors.http.response_head import no_http
from schemas.records.answers import FailureKind

NETWORK_ERRORS = (ClientError, OSError, ValueError)

_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS}
NO_LOOKUP = {socket.EAI_AGAIN, socket.EAI_FAIL, socket.EAI_SYSTEM}
"""Errors of a look-up that no name server answered; all others say that there is no name."""
_NO_ROUTE = {errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH}
_MAX_LENGTH = 200
_DNS = (ClientConnectorDNSError, socket.gaierror)
CUT_OFF = "incomplete: the connection ended before the response"
_WORDS = (
    ((InvalidURL, UnicodeError), "invalid URL"),
    (TimeoutError, "timed out"),
    (_DNS, "host name look-up failed"),
    (ServerDisconnectedError, "the server closed the connection without a response"),
)


class FetchFailed(Exception):
    """A document could not be fetched; the text is a short reason."""


class OutOfRoom(Exception):
    """A document cannot be fetched now, because this process has no room for it."""


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


def failure_kind(error: Exception) -> FailureKind:
    """Return what a failed request may be due to.

    >>> failure_kind(FetchFailed("HTTP 404"))
    'page'
    """
    if isinstance(error, OutOfRoom):
        return "ours"
    cause = error.__cause__
    if isinstance(cause, ClientProxyConnectionError):
        return "ours"
    if isinstance(cause, _DNS):
        is_unanswered = getattr(cause, "os_error", cause).errno in NO_LOOKUP
        return "no_lookup" if is_unanswered else "no_answer"
    is_page = isinstance(cause, ClientSSLError | SSLError | AddressRefused)
    if is_page or not isinstance(cause, OSError) or isinstance(cause.__cause__, AddressRefused):
        return "page"
    return "no_route" if cause.errno in _NO_ROUTE else "no_answer"


def _words(error: BaseException) -> str:
    # aiohttp wraps what the resolver raised; a refusal is the reason that matters.
    error = error.__cause__ if isinstance(error.__cause__, AddressRefused) else error
    for kinds, words in _WORDS:
        if isinstance(error, kinds):
            return words
    of_response = _response_words(error)
    if of_response is not None:
        return of_response
    cause = getattr(error, "certificate_error", error)
    if isinstance(cause, ClientConnectorError) and not isinstance(cause.os_error, SSLError):
        # Its text has the address that a name led to, perhaps an internal one.
        return os.strerror(cause.errno) if cause.errno else "connection failed"
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def _response_words(error: BaseException) -> str | None:
    """Return what is wrong with a response; aiohttp's words read as if the site had said them."""
    match error:
        case ClientHttpProxyError():
            return f"the proxy refused the connection (HTTP {error.status})"
        case ClientResponseError():
            return no_http(error.message)
        case ClientPayloadError() if error.__cause__ is not None:
            return CUT_OFF
    return None
