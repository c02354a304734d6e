"""Is a request fit to be decided? The checks of the REST answers, in their order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

from schemas.records.channels import channel_name
from schemas.records.codes import Code
from schemas.records.crawls import MAX_PAGES
from schemas.records.faults import MAX_FAULTS, Fault, Refusal, format_fault, refusal_by
from schemas.records.field_types import MAX_NAME
from schemas.records.names import canonical_name, name_fault
from schemas.records.pages import PAGES_ALLOWED, canonical_document, is_pages
from schemas.records.requests import Backfill, Check, ClientRequest, Rename, Rotate, Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.tags import canonical_tags
from schemas.records.urls import USERINFO_REFUSED, canonical, without_userinfo
from schemas.records.views import ViewOptions
from streams.agents.match.register.checks import (
    asked_content,
    backfill_faults,
    condition_faults,
    crawl_faults,
    judging_faults,
    keyword_faults,
    option_faults,
    page_faults,
    pages_faults,
    time_faults,
)
from streams.values.ids import content_id


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a deployment for requests.

    ``min_interval`` is in seconds; ``refusal`` returns why a canonical URL may not be requested,
    None if allowed; ``view_faults`` the faults of a view, with their fields. A crawl covers
    ``max_pages`` at most, and all crawls of a manager ``pages_per_manager`` of the pages in a
    partition.
    """

    min_interval: int
    refusal: Callable[[str], str | None] = lambda _: None
    view_faults: Callable[[ViewOptions], Iterable[str]] = lambda _: ()
    max_pages: int = MAX_PAGES
    pages_per_manager: int = MAX_PAGES


@dataclass(frozen=True)
class Target:
    """The document of a request, by its canonical URL, a receiver and a name in canonical form."""

    manager: str
    url: str
    receiver: Receiver
    name: str = ""

    @cached_property
    def key(self) -> bytes:
        """The table key of its registration: its URL, then manager, receiver and name.

        The URL comes first so all registrations of a document are found together.
        """
        named = (self.name,) if self.name else ()  # an earlier release knew no names
        receiver = self.receiver
        who = content_id(self.manager, receiver.client_url, receiver.session, *named)
        return f"{self.url}\0{who}".encode()


@dataclass(frozen=True, slots=True)
class CheckedRequest:
    """A request ready for a decision: with its tags in canonical form, its target and keywords.

    ``keywords`` are the valid ones of a Subscribe, as they are registered.
    """

    request: ClientRequest
    target: Target
    keywords: tuple[str, ...] = ()


def check(
    request: ClientRequest, rules: Rules, unread: Sequence[Fault] = ()
) -> CheckedRequest | Refusal:
    """Run the checks 6, 1, 2, 3, 4; the others (5, 7) depend on the register.

    ``unread`` are known faults, such as unreadable fields, which are absent in the request: their
    absence is not reported, too.
    """
    # What was allowed once can always be ended, so the rules for URLs do not apply.
    allowed = rules if isinstance(request, Subscribe) else Rules(rules.min_interval)
    known = {each.top for each in unread}
    found = target(request, allowed)
    if isinstance(request, Rename) and request.new_name is not None:
        request = replace(request, new_name=canonical_name(request.new_name))
    places = found.faults if isinstance(found, Refusal) else ()
    keywords: tuple[str, ...] = ()
    contents: Sequence[Fault] = ()
    if isinstance(request, Subscribe):
        keywords, contents = asked_content(request)
        tags = canonical_tags(request.options.tags)
        if tags != request.options.tags:
            request = replace(request, options=replace(request.options, tags=tags))
    formats = map(format_fault, _format_faults(request, rules))
    some = islice(chain(formats, places, contents), MAX_FAULTS)
    new = [each for each in some if "." in each.field or each.top not in known]
    if unread or new:
        return refusal_by([*unread, *new])
    return found if isinstance(found, Refusal) else CheckedRequest(request, found, keywords)


def target(request: ClientRequest, rules: Rules) -> Target | Refusal:
    """Find the document and the receiver of a request, or why there are none."""
    given, code = request.document_url, Code.INVALID_DOCUMENT_URL
    url: str | Fault
    if is_pages(given):
        wrong = Fault(code, "documentUrl", f"{given[:100]!r} is not {PAGES_ALLOWED}")
        url = canonical_document(given) or wrong
        if isinstance(request, Check):
            url = Fault(code, "documentUrl", f"{given[:100]!r} is no page: check one of its pages")
    else:
        url = _allowed_url("documentUrl", given, code, rules)
    receiver = _allowed_receiver(request, rules)
    if isinstance(url, Fault):
        return refusal_by([url, receiver] if isinstance(receiver, Fault) else [url])
    if isinstance(receiver, Fault):
        return refusal_by([receiver])
    return Target(request.manager, url, receiver, canonical_name(request.name))


def _allowed_receiver(request: ClientRequest, rules: Rules) -> Receiver | Fault:
    """Return the receiver in canonical form; only a webhook has a secret to rotate."""
    session, given = request.receiver.session, request.receiver.client_url or ""
    is_of_session = session is not None and request.receiver.client_url is None
    if is_of_session and not isinstance(request, Rotate):
        return Receiver(session=session)
    if channel_name(given) is None:
        client = _allowed_url("clientUrl", given, Code.INVALID_CLIENT_URL, rules)
        return client if isinstance(client, Fault) else Receiver(client)
    if isinstance(request, Rotate):
        detail = f"{given} has no secret: only a webhook has one"
        return Fault(Code.INVALID_CLIENT_URL, "clientUrl", detail)
    return Receiver(given)


def _allowed_url(field: str, url: str, code: Code, rules: Rules) -> str | Fault:
    found = canonical(url)
    if found is None:
        return Fault(code, field, "" if without_userinfo(url) == url else USERINFO_REFUSED)
    reason = rules.refusal(found)
    return found if reason is None else Fault(code, field, reason)


def _format_faults(request: ClientRequest, rules: Rules) -> Iterator[str]:
    """Name the fields out of range, and the allowed values."""
    session = None if isinstance(request, Rotate) else request.receiver.session
    if session is not None and request.receiver.client_url is not None:
        yield "session: either clientUrl or session is allowed, not both"
    names = (request.manager, session, request.request_id)
    if not all(name is None or 0 < len(name) <= MAX_NAME for name in names):
        yield f"manager, session, requestId: 1 to {MAX_NAME} characters are allowed"
    yield from _name_faults(request)
    if isinstance(request, Backfill):
        yield from backfill_faults(request)
    if isinstance(request, Subscribe):
        yield from keyword_faults(request.keywords)
        yield from time_faults(request)
        yield from judging_faults(request.options)
        if is_pages(request.document_url):
            yield from option_faults(request.options, min_interval=1)
            yield from pages_faults(request.options, request.document_url[:100])
            return
        yield from option_faults(request.options, rules.min_interval)
        yield from page_faults(request.options)
        yield from rules.view_faults(request.options.view)
        yield from condition_faults(request)
        if request.options.crawl is not None:
            yield from crawl_faults(request.options.crawl, rules.max_pages)


def _name_faults(request: ClientRequest) -> Iterator[str]:
    names = {"name": request.name}
    if isinstance(request, Rename):
        names["newName"] = request.new_name or ""
        if request.new_name is None:
            yield "newName: the name that it gets is missing; an empty text removes its name"
    for field, name in names.items():
        if (fault := name_fault(canonical_name(name))) is not None:
            yield f"{field}: {fault}"
