"""Refused requests, in words about the request and the remedy."""

from typing import TYPE_CHECKING

from schemas.records.codes import Code
from schemas.records.egress_policy import is_private_refusal
from schemas.records.faults import Refusal
from schemas.records.requests import ClientRequest, Rename, Subscribe
from schemas.records.subscriptions import Subscription
from streams.cli.durations import shown_duration

if TYPE_CHECKING:
    from streams.settings import Settings


class Refused(Exception):
    """A request was refused; the text says why."""


def asked_subscription(settings: "Settings", request: Subscribe, action: str) -> Subscription:
    """Check a request like match, and return its subscription; raises Refused.

    ``action`` names the command. No deployment is needed.
    """
    from streams.agents.history.asked_subscription import subscription_of
    from streams.effects.rules import rules

    found = subscription_of(rules(settings), request)
    if isinstance(found, Refusal):
        raise refused(request, found, action)
    return found


def refused(request: ClientRequest, refusal: Refusal, action: str | None = None) -> Refused:
    """Return the error for a refused request; ``action`` is the request's by default.

    The other faults of the request follow, field by field.

    Example:
        >>> from schemas.records.requests import Cancel
        >>> from schemas.records.subscriptions import Receiver
        >>> missing = Refusal(Code.NO_SUCH_SUBSCRIPTION)
        >>> str(refused(Cancel("http://a/", Receiver(session="me")), missing))
        "Cannot cancel: there is no subscription of http://a/ for me. 'vokter list' shows all."
    """
    url, action = request.document_url, action or type(request).__name__.lower()
    receiver = request.receiver.name + (f" named {request.name!r}" if request.name else "")
    code, detail = refusal.code, refusal.detail
    match code:
        case Code.NO_SUCH_SUBSCRIPTION:
            why = f"there is no subscription of {url} for {receiver}. 'vokter list' shows all."
        case Code.CONFLICT:
            why = f"{url} is already watched for {receiver}. {_way_out(request)}"
        case Code.INVALID_DOCUMENT_URL:
            why = f"{url} may not be fetched: {_sentence(detail or code.message)}"
        case Code.INVALID_CLIENT_URL:
            why = f"{receiver} may not be notified: {_sentence(detail or code.message)}"
        case _:
            why = _sentence(detail or code.message)
    if isinstance(request, Subscribe) and detail.startswith("interval:"):
        asked = shown_duration(request.options.interval)
        why += f" You asked for {asked}; VOKTER_MIN_INTERVAL of the deployment is the smallest."
    if is_private_refusal(detail):
        why += " To allow its network, start Vokter with VOKTER_ALLOW_PRIVATE, such as 127.0.0.0/8."
    for fault in refusal.faults[1:]:
        why += f" Also {fault.field}: {_sentence(fault.reason or Code(fault.code).message)}"
    return Refused(f"Cannot {action}: {why}")


def _way_out(request: ClientRequest) -> str:
    if isinstance(request, Rename):
        return f"Another one has the name {request.new_name!r}."
    return "Add --replace to change how, or --name NAME to watch it once more."


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
