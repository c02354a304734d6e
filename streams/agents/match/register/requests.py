"""Is a request fit to be decided? The checks of the REST answers, in their order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, islice

from schemas.records.channels import channel_name
from schemas.records.codes import Code
from schemas.records.crawls import MAX_PAGES
from schemas.records.faults import MAX_FAULTS, Fault, Refusal, format_fault, refusal_by
from schemas.records.field_types import MAX_NAME
from schemas.records.fields import RecordField, record_fields
from schemas.records.pages import PAGES_ALLOWED, canonical_document, is_pages
from schemas.records.requests import Backfill, ClientRequest, Rotate, Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.tags import canonical_tags
from schemas.records.urls import USERINFO_REFUSED, canonical, without_userinfo
from schemas.records.views import ViewOptions
from streams.agents.match.register.backfills import backfill_faults
from streams.agents.match.register.crawl_checks import crawl_faults
from streams.agents.match.register.number_checks import asked_keywords, condition_faults
from streams.agents.match.register.time_checks import time_faults
from streams.text.keywords import valid_keywords
from streams.values.views import canonical_type, type_in_view

_OF_ONE_PAGE = {
    *("content_type", "on_status", "view", "interval", "max_interval"),
    *("max_failures", "notify_failures", "failing_after", "patience", "patience_visits"),
    *("when", "crawl"),
}
"""Options that say how a page is fetched and read, or what happens between two visits of it."""
DOCUMENT = "document"
MAX_KEYWORDS = 100
MAX_KEYWORD = 256
"""Characters."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a deployment allows.

    ``min_interval`` is in seconds; ``refusal`` returns why a canonical URL may not be
    requested, None if it may; ``view_faults`` what is wrong with a view, and where. A crawl
    covers ``max_pages`` at most, and all crawls of a manager ``pages_per_manager`` of those that
    belong to one partition.
    """

    min_interval: int
    refusal: Callable[[str], str | None] = lambda _: None
    view_faults: Callable[[ViewOptions], Iterable[str]] = lambda _: ()
    max_pages: int = MAX_PAGES
    pages_per_manager: int = MAX_PAGES


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: canonical document URL, and a receiver in canonical form."""

    manager: str
    url: str
    receiver: Receiver


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request that may be decided: with its tags in canonical form, its target and keywords.

    ``keywords`` are the valid ones of a Subscribe, as they are registered.
    """

    request: ClientRequest
    target: Target
    keywords: tuple[str, ...] = ()


def _with_canonical_tags(request: Subscribe) -> Subscribe:
    """Return a request with its tags as they are registered."""
    tags = canonical_tags(request.options.tags)
    if tags == request.options.tags:
        return request
    return replace(request, options=replace(request.options, tags=tags))


def check(
    request: ClientRequest, rules: Rules, unread: Sequence[Fault] = ()
) -> CheckedRequest | Refusal:
    """Run the checks 6, 1, 2, 3, 4; what is left (5, 7) depends on what is registered.

    ``unread`` are faults that are known already, such as of fields that could not be read, which
    are absent in the request: that they are is not said, too.
    """
    # What was allowed once can always be ended, so the rules for URLs do not apply.
    allowed = rules if isinstance(request, Subscribe) else Rules(rules.min_interval)
    known = {each.top for each in unread}
    found = target(request, allowed)
    places = found.faults if isinstance(found, Refusal) else ()
    keywords: tuple[str, ...] | None = None
    if isinstance(request, Subscribe):
        request = _with_canonical_tags(request)
        keywords = _short_keywords(request)
    every = chain(_format_faults(request, rules), places, _content_faults(request, keywords))
    some = islice(every, MAX_FAULTS)
    new = [each for each in some if "." in each.field or each.top not in known]
    if unread or new:
        return refusal_by([*unread, *new])
    return found if isinstance(found, Refusal) else CheckedRequest(request, found, keywords or ())


def _short_keywords(request: Subscribe) -> tuple[str, ...] | None:
    """Return the valid keywords, None if they are too long or too many to be looked at."""
    is_short = next(_keyword_faults(request.keywords), None) is None
    return valid_keywords(asked_keywords(request)) if is_short else None


def _content_faults(request: ClientRequest, keywords: tuple[str, ...] | None) -> Iterator[Fault]:
    if not isinstance(request, Subscribe):
        return
    if keywords == ():
        yield Fault(Code.NO_KEYWORD, "keywords", "")
    if request.options.ignore_added and request.options.ignore_removed:
        yield Fault(Code.NOTHING_TO_REPORT, "ignoreAdded, ignoreRemoved", "")


def target(request: ClientRequest, rules: Rules) -> Target | Refusal:
    """Find the document and the receiver of a request, or why there are none."""
    url = _allowed_document(request.document_url, rules)
    receiver = _allowed_receiver(request, rules)
    if isinstance(url, Fault):
        return refusal_by([url, receiver] if isinstance(receiver, Fault) else [url])
    if isinstance(receiver, Fault):
        return refusal_by([receiver])
    return Target(request.manager, url, receiver)


def _allowed_receiver(request: ClientRequest, rules: Rules) -> Receiver | Fault:
    session = _session(request)
    if session is not None and request.receiver.client_url is None:
        return Receiver(session=session)
    client = _allowed_client(request, rules)
    return client if isinstance(client, Fault) else Receiver(client)


def _allowed_document(given: str, rules: Rules) -> str | Fault:
    code = Code.INVALID_DOCUMENT_URL
    if not is_pages(given):
        return _allowed_url("documentUrl", given, code, rules)
    wrong = Fault(code, "documentUrl", f"{given[:100]!r} is not {PAGES_ALLOWED}")
    return canonical_document(given) or wrong


def _allowed_client(request: ClientRequest, rules: Rules) -> str | Fault:
    given, code = request.receiver.client_url or "", Code.INVALID_CLIENT_URL
    if channel_name(given) is None:
        return _allowed_url("clientUrl", given, code, rules)
    if isinstance(request, Rotate):
        return Fault(code, "clientUrl", f"{given} has no secret: only a webhook has one")
    return given


def _allowed_url(field: str, url: str, code: Code, rules: Rules) -> str | Fault:
    found = canonical(url)
    if found is None:
        return Fault(code, field, "" if without_userinfo(url) == url else USERINFO_REFUSED)
    reason = rules.refusal(found)
    return found if reason is None else Fault(code, field, reason)


def _session(request: ClientRequest) -> str | None:
    """Return the session of a request; only a webhook has a secret to rotate."""
    return None if isinstance(request, Rotate) else request.receiver.session


def _format_faults(request: ClientRequest, rules: Rules) -> Iterator[Fault]:
    return map(format_fault, _format_texts(request, rules))


def _format_texts(request: ClientRequest, rules: Rules) -> Iterator[str]:
    """Name the fields that are out of range, and what is allowed."""
    session = _session(request)
    if session is not None and request.receiver.client_url is not None:
        yield "session: either clientUrl or session is allowed, not both"
    names = (request.manager, session, request.request_id)
    if not all(name is None or 0 < len(name) <= MAX_NAME for name in names):
        yield f"manager, session, requestId: 1 to {MAX_NAME} characters are allowed"
    if isinstance(request, Backfill):
        yield from backfill_faults(request)
    if isinstance(request, Subscribe):
        yield from _keyword_faults(request.keywords)
        yield from time_faults(request)
        if is_pages(request.document_url):
            yield from _option_faults(request.options, min_interval=1)
            yield from _pages_faults(request.options, request.document_url[:100])
            return
        yield from _option_faults(request.options, rules.min_interval)
        yield from _visit_faults(request.options)
        yield from _type_faults(request.options)
        yield from rules.view_faults(request.options.view)
        yield from condition_faults(request)
        yield from crawl_faults(request.options.crawl, rules.max_pages)


def _pages_faults(options: Options, document: str) -> Iterator[str]:
    """Name the options that only a subscription of one page may have."""
    plain = Options()
    for field in record_fields(Options):
        is_default = getattr(options, field.name) == getattr(plain, field.name)
        if field.name in _OF_ONE_PAGE and not is_default:
            yield (
                f"{field.json_name}: only for one page, not for {document}, whose pages are"
                " fetched and read as your subscriptions of each say; leave it out"
            )
    if options.scope == DOCUMENT:
        yield (
            f"scope: 'document' is only for one page, not for {document};"
            " 'sentence', 'change' or 'block' are allowed"
        )


def _type_faults(options: Options) -> Iterator[str]:
    given = {canonical_type(options.content_type), type_in_view(options.view)} - {None}
    if len(given) > 1:
        yield "view.as: it is another name of documentContentType, which differs"


def _keyword_faults(keywords: tuple[str, ...]) -> Iterator[str]:
    if len(keywords) > MAX_KEYWORDS:
        yield f"keywords: at most {MAX_KEYWORDS} are allowed"
    elif any(len(keyword) > MAX_KEYWORD for keyword in keywords):
        yield f"keywords: at most {MAX_KEYWORD} characters each are allowed"


def _option_faults(options: Options, min_interval: int) -> Iterator[str]:
    for field in _limited_options(min_interval):
        if not field.allows(getattr(options, field.name)):
            yield f"{field.json_name}: {field.allowed} are allowed"


@cache
def _limited_options(min_interval: int) -> tuple[RecordField, ...]:
    """Return the fields of options; a deployment allows less than the record does."""
    return tuple(
        replace(each, about=replace(each.about, least=min_interval))
        if each.name == "interval"
        else each
        for each in record_fields(Options)
        if each.is_limited
    )


def _visit_faults(options: Options) -> Iterator[str]:
    """Name what does not go together in how a page is fetched."""
    if options.max_interval is not None and options.max_interval < options.interval:
        yield f"maxInterval: it must not be less than interval, which is {options.interval}"
    if options.failing_after > 1 and not options.notify_failures:
        yield "failingAfter: only with notifyFailures"
