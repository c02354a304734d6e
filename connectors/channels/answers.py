"""The answers of servers, noted from within Apprise's plug-ins, as Apprise says only yes or no.

No text of an answer or an error is kept, as the text may have an address or a token inside.
"""

import smtplib
from typing import Any

import requests
from requests.adapters import HTTPAdapter

from connectors.channels.work import Answer
from connectors.http.headers import parse_retry_after
from schemas.records.channels import SMTP_ACCEPTED

_OK, _REDIRECT = 200, 300
_SMTP_ERROR = 400
_FAILURES = (
    (requests.exceptions.SSLError, "its TLS certificate was refused"),
    (requests.exceptions.Timeout, "timed out"),
    (requests.exceptions.ConnectionError, "no connection"),
)


class NotedAnswers:
    """The answers of servers since ``clear``."""

    def __init__(self) -> None:
        """Note nothing yet."""
        self.clear()

    def clear(self) -> None:
        """Begin with the next piece of work."""
        self._http: int | None = None
        self._smtp: int | None = None
        self._retry_after: int | None = None
        self._failure = ""

    def note_http(self, response: requests.Response, now: float) -> None:
        """Note an answer by HTTP; a failure outlasts successes."""
        if self._http is None or self._http < _REDIRECT:
            self._http = response.status_code
            self._retry_after = parse_retry_after(response.headers.get("Retry-After"), now)

    def note_smtp(self, code: int) -> None:
        """Note an answer by SMTP; an error outlasts all others."""
        if self._smtp is None or self._smtp < _SMTP_ERROR:
            self._smtp = code

    def note_failure(self, error: requests.RequestException) -> None:
        """Note why there was no answer."""
        kinds = (words for kind, words in _FAILURES if isinstance(error, kind))
        self._failure = next(kinds, "no valid answer")

    def success(self) -> Answer:
        """Return the answer for an accepted message."""
        is_http = self._http is not None and _OK <= self._http < _REDIRECT
        return Answer(status=self._http if is_http else SMTP_ACCEPTED if self._smtp else _OK)

    def failure(self) -> Answer:
        """Return the answer for a refused message."""
        if self._http is not None and self._http >= _REDIRECT:
            return Answer(f"answered {self._http}", self._http, self._retry_after)
        if self._smtp is not None and self._smtp >= _SMTP_ERROR:
            return Answer(f"the mail server answered {self._smtp}")
        return Answer(self._failure or "the service did not accept the message")


def note_answers(noted: NotedAnswers, clock: Any) -> None:
    """Let all requests of this process be noted; ``clock`` returns epoch seconds."""
    send, getreply = HTTPAdapter.send, smtplib.SMTP.getreply

    def noted_send(self: HTTPAdapter, *args: Any, **options: Any) -> requests.Response:
        try:
            response = send(self, *args, **options)
        except requests.RequestException as error:
            noted.note_failure(error)
            raise
        noted.note_http(response, clock())
        return response

    def noted_reply(self: smtplib.SMTP) -> tuple[int, bytes]:
        reply = getreply(self)
        noted.note_smtp(reply[0])
        return reply

    HTTPAdapter.send = noted_send  # type: ignore[method-assign]  # it has no hook for failures
    smtplib.SMTP.getreply = noted_reply  # type: ignore[method-assign]  # it has no hook
