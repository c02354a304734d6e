"""Requests of a page to match: each is accepted, or its page says why not."""

import json
from collections.abc import Mapping
from hashlib import sha256

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import PageRefused
from connectors.requests.outcomes import ClientRequests, RequestOutcome
from schemas.records.codes import Code
from schemas.records.requests import ClientRequest

_TEXTS: Mapping[int, str] = {
    Code.INVALID_DOCUMENT_URL: msgid(
        "Enter the address of a page, beginning with https:// or http://."
    ),
    Code.INVALID_CLIENT_URL: msgid(
        "Enter the address of a webhook, beginning with https:// or http://."
    ),
    Code.NO_KEYWORD: msgid("Enter a keyword with a letter or a digit, or leave the field empty."),
    Code.CONFLICT: msgid("This page is already watched for this receiver."),
    Code.NO_SUCH_SUBSCRIPTION: msgid("There is no such watch any more."),
    Code.NO_ANSWER: msgid("No worker answered in time. Send the form again."),
    Code.PAUSED: msgid("The watch is paused. Resume it first."),
}


async def accepted(
    jobs: ClientRequests, request: web.Request, command: ClientRequest
) -> RequestOutcome:
    """Return the outcome of a request of the caller; raises PageRefused if refused."""
    found = await jobs.outcome(caller(request), command)
    if found.code != Code.OK:
        raise PageRefused(found.code.status, refusal_text(found))
    return found


def refusal_text(found: RequestOutcome) -> str:
    """Return why a request was refused, in the language of the context."""
    if found.faults:
        each = (shown_reason(fault.reason) or code_text(fault.code) for fault in found.faults)
        return "; ".join(dict.fromkeys(each))
    # That of a conflict is for programs.
    detail = "" if found.code == Code.CONFLICT else found.detail
    return shown_reason(detail) or code_text(found.code)


def code_text(code: int) -> str:
    """Return the meaning of a code for people, in the language of the context."""
    return gettext(_TEXTS[code]) if code in _TEXTS else Code(code).message


def request_id_of(fields: Mapping[str, object], body: Mapping[str, object]) -> str:
    """Return the request id of a form whose request has this body.

    The same form sent again, as by a reload, gets the same answer; a changed form does not.
    """
    sent = json.dumps([str(fields.get("once", "")), body])
    return sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()
