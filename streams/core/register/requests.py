"""Is a request fit to be decided? The checks of the REST answers, in their order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from schemas.channels import channel_name
from schemas.codes import Code
from schemas.fields import record_fields
from schemas.kinds import MAX_NAME
from schemas.requests import ClientRequest, Rotate, Subscribe
from schemas.subscriptions import Options, Receiver
from schemas.tags import canonical_tags
from schemas.urls import USERINFO_REFUSED, canonical, without_userinfo
from schemas.views import ViewOptions
from streams.core.views import canonical_type, type_in_view

MAX_KEYWORDS = 100
MAX_KEYWORD = 256
"""Characters."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is refused: the REST code, and a detail for people."""

    code: Code
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a deployment allows.

    ``min_interval`` is in seconds; ``refusal`` returns why a canonical URL may not be
    requested, None if it may; ``view_fault`` what is wrong with a view, and where.
    """

    min_interval: int
    refusal: Callable[[str], str | None] = lambda _: None
    view_fault: Callable[[ViewOptions], str | None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: canonical document URL, and a receiver in canonical form."""

    manager: str
    url: str
    receiver: Receiver


def with_canonical_tags(request: Subscribe) -> Subscribe:
    """Return a request with its tags as they are registered."""
    tags = canonical_tags(request.options.tags)
    return replace(request, options=replace(request.options, tags=tags))


def check(
    request: ClientRequest,
    rules: Rules,
    valid_keywords: Callable[[Sequence[str]], tuple[str, ...]],
) -> Target | Refusal:
    """Run the checks 6, 1, 2, 3, 4; what is left (5, 7) depends on what is registered."""
    fault = _format_fault(request, rules)
    if fault is not None:
        return Refusal(Code.INVALID_FORMAT, fault)
    if not isinstance(request, Subscribe):
        # What was allowed once can always be ended, so the rules for URLs do not apply.
        return target(request, Rules(rules.min_interval))
    found = target(request, rules)
    if isinstance(found, Refusal):
        return found
    if not valid_keywords(request.keywords):
        return Refusal(Code.NO_KEYWORD)
    if request.options.ignore_added and request.options.ignore_removed:
        return Refusal(Code.NOTHING_TO_REPORT)
    return found


def target(request: ClientRequest, rules: Rules) -> Target | Refusal:
    """Find the document and the receiver of a request, or why there are none."""
    url = _allowed_url(request.document_url, Code.INVALID_DOCUMENT_URL, rules)
    if isinstance(url, Refusal):
        return url
    session = _session(request)
    if session is not None and request.receiver.client_url is None:
        return Target(request.manager, url, Receiver(session=session))
    client = _allowed_client(request, rules)
    if isinstance(client, Refusal):
        return client
    return Target(request.manager, url, Receiver(client))


def _allowed_client(request: ClientRequest, rules: Rules) -> str | Refusal:
    given = request.receiver.client_url or ""
    if channel_name(given) is None:
        return _allowed_url(given, Code.INVALID_CLIENT_URL, rules)
    if isinstance(request, Rotate):
        return Refusal(Code.INVALID_CLIENT_URL, f"{given} has no secret: only a webhook has one")
    return given


def _allowed_url(url: str, code: Code, rules: Rules) -> str | Refusal:
    found = canonical(url)
    if found is None:
        return Refusal(code, "" if without_userinfo(url) == url else USERINFO_REFUSED)
    reason = rules.refusal(found)
    return found if reason is None else Refusal(code, reason)


def _session(request: ClientRequest) -> str | None:
    """Return the session of a request; only a webhook has a secret to rotate."""
    return None if isinstance(request, Rotate) else request.receiver.session


def _format_fault(request: ClientRequest, rules: Rules) -> str | None:
    """Name the first field that is out of range, and what is allowed."""
    session = _session(request)
    if session is not None and request.receiver.client_url is not None:
        return "session: either clientUrl or session is allowed, not both"
    names = (request.manager, session, request.request_id)
    if not all(name is None or 0 < len(name) <= MAX_NAME for name in names):
        return f"manager, session, requestId: 1 to {MAX_NAME} characters are allowed"
    if not isinstance(request, Subscribe):
        return None
    return (
        _keywords_fault(request.keywords)
        or _options_fault(request.options, rules.min_interval)
        or _type_fault(request.options)
        or rules.view_fault(request.options.view)
    )


def _type_fault(options: Options) -> str | None:
    given = {canonical_type(options.content_type), type_in_view(options.view)} - {None}
    if len(given) > 1:
        return "view.as: it is another name of documentContentType, which differs"
    return None


def _keywords_fault(keywords: tuple[str, ...]) -> str | None:
    if len(keywords) > MAX_KEYWORDS:
        return f"keywords: at most {MAX_KEYWORDS} are allowed"
    if any(len(keyword) > MAX_KEYWORD for keyword in keywords):
        return f"keywords: at most {MAX_KEYWORD} characters each are allowed"
    return None


def _options_fault(options: Options, min_interval: int) -> str | None:
    for field in record_fields(Options):
        limited = field
        if field.name == "interval":  # a deployment allows less than the record does
            limited = replace(field, about=replace(field.about, least=min_interval))
        if not limited.allows(getattr(options, field.name)):
            return f"{field.json_name}: {limited.allowed} are allowed"
    return None
