"""Is a request fit to be decided? The checks of the REST answers, in their order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from schemas.facts import ClientRequest, Options, Receiver, Rotate, Subscribe
from schemas.fields import record_fields
from schemas.kinds import MAX_NAME
from schemas.urls import canonical

INVALID_DOCUMENT_URL = 1
INVALID_CLIENT_URL = 2
NO_KEYWORD = 3
NOTHING_TO_REPORT = 4
CONFLICT = 5
INVALID_FORMAT = 6
NO_SUCH_SUBSCRIPTION = 7

MAX_KEYWORDS = 100
MAX_KEYWORD = 256


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused: the REST code, and a detail for people."""

    code: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a deployment allows.

    ``min_interval`` is in seconds; ``refusal`` says why a canonical URL may not be
    asked, None if it may.
    """

    min_interval: int
    refusal: Callable[[str], str | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a request concerns: canonical document URL, and client URL or session."""

    manager: str
    url: str
    receiver: Receiver


def target(request: ClientRequest, rules: Rules) -> Target | Refusal:
    """Find the document and the client of a request, or why there are none."""
    url = _place(request.document_url, INVALID_DOCUMENT_URL, rules)
    if isinstance(url, Refusal):
        return url
    session = _session(request)
    if session is not None and request.receiver.client_url is None:
        return Target(request.manager, url, Receiver(session=session))
    client = _place(request.receiver.client_url or "", INVALID_CLIENT_URL, rules)
    if isinstance(client, Refusal):
        return client
    return Target(request.manager, url, Receiver(client))


def _place(url: str, code: int, rules: Rules) -> str | Refusal:
    found = canonical(url)
    if found is None:
        return Refusal(code)
    detail = rules.refusal(found)
    return found if detail is None else Refusal(code, detail)


def check(
    request: ClientRequest,
    rules: Rules,
    valid_keywords: Callable[[Sequence[str]], tuple[str, ...]],
) -> Target | Refusal:
    """Run the checks 6, 1, 2, 3, 4; what is left (5, 7) depends on what there is."""
    detail = _format_fault(request, rules.min_interval)
    if detail is not None:
        return Refusal(INVALID_FORMAT, detail)
    if not isinstance(request, Subscribe):  # what was allowed once can be ended for ever
        return target(request, Rules(rules.min_interval))
    found = target(request, rules)
    if isinstance(found, Refusal):
        return found
    if not valid_keywords(request.keywords):
        return Refusal(NO_KEYWORD)
    if request.options.ignore_added and request.options.ignore_removed:
        return Refusal(NOTHING_TO_REPORT)
    return found


def _format_fault(request: ClientRequest, min_interval: int) -> str | None:
    """Name the first field that is out of range, and what is allowed."""
    session = _session(request)
    names = (request.manager, session, request.request_id)
    if session is not None and request.receiver.client_url is not None:
        return "session: either clientUrl or session is allowed, not both"
    if not all(name is None or 0 < len(name) <= MAX_NAME for name in names):
        return f"manager, session, requestId: 1 to {MAX_NAME} characters are allowed"
    return _options_fault(request, min_interval) if isinstance(request, Subscribe) else None


def _session(request: ClientRequest) -> str | None:
    """Only a webhook has a secret that could be changed."""
    return None if isinstance(request, Rotate) else request.receiver.session


def _options_fault(request: Subscribe, min_interval: int) -> str | None:
    if len(request.keywords) > MAX_KEYWORDS:
        return f"keywords: at most {MAX_KEYWORDS} are allowed"
    if any(len(keyword) > MAX_KEYWORD for keyword in request.keywords):
        return f"keywords: at most {MAX_KEYWORD} characters each are allowed"
    for field in record_fields(Options):
        value, limits = getattr(request.options, field.name), field
        if field.name == "interval":
            limits = replace(field, about=replace(field.about, least=min_interval))
        if not limits.allows(value):
            return f"{field.json_name}: {limits.allowed} are allowed"
    return None
