"""Find the faults of a request's fields, apart from its view."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache

from schemas.codec.times import epoch_ms
from schemas.records.codes import Code
from schemas.records.crawls import MAX_PAGES, CrawlOptions
from schemas.records.faults import Fault
from schemas.records.field_types import MAX_HOURS
from schemas.records.fields import RecordField, record_fields
from schemas.records.numbers import Conditions
from schemas.records.pages import is_pages
from schemas.records.requests import Backfill, Subscribe
from schemas.records.subscriptions import Options
from schemas.records.timezones import timezone_fault
from schemas.records.views import is_of_value
from streams.text.keywords import valid_keywords
from streams.values.hours import InvalidHours, parse_hours
from streams.values.views import canonical_type, type_in_view

_OF_ONE_PAGE = {
    *("content_type", "on_status", "view", "interval", "max_interval"),
    *("max_failures", "notify_failures", "failing_after", "patience", "patience_visits"),
    *("when", "crawl"),
}
"""Options for the fetch and reading of a page, or for the time between two visits."""
DOCUMENT = "document"
MAX_KEYWORDS = 100
MAX_KEYWORD = 256
"""Characters."""
_TIMES = "since", "until"
ANY = ("*",)
"""The keywords of a subscription to a number: any change of its view."""


def keyword_faults(keywords: tuple[str, ...]) -> Iterator[str]:
    """Name too long or too many keywords."""
    if len(keywords) > MAX_KEYWORDS:
        yield f"keywords: at most {MAX_KEYWORDS} are allowed"
    elif any(len(keyword) > MAX_KEYWORD for keyword in keywords):
        yield f"keywords: at most {MAX_KEYWORD} characters each are allowed"


def asked_content(request: Subscribe) -> tuple[tuple[str, ...], list[Fault]]:
    """Return the valid keywords of a request, and why a notification would be impossible.

    Keywords too long or too many are not examined. A number or a stock needs none.

    >>> from schemas.records.subscriptions import Receiver
    >>> from schemas.records.numbers import NumberOptions
    >>> from schemas.records.views import ViewOptions
    >>> options = Options(view=ViewOptions(number=NumberOptions()))
    >>> asked_content(Subscribe("https://example.org/", Receiver(), keywords=(), options=options))
    (('*',), [])
    """
    keywords: tuple[str, ...] = ()
    faults, options = list[Fault](), request.options
    if next(keyword_faults(request.keywords), None) is None:
        keywords = valid_keywords(request.keywords or (ANY if is_of_value(options.view) else ()))
        if not keywords:
            faults.append(Fault(Code.NO_KEYWORD, "keywords", ""))
    if options.ignore_added and options.ignore_removed:
        faults.append(Fault(Code.NOTHING_TO_REPORT, "ignoreAdded, ignoreRemoved", ""))
    return keywords, faults


def option_faults(options: Options, min_interval: int) -> Iterator[str]:
    """Name the options out of range, and the allowed values."""
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


def page_faults(options: Options) -> Iterator[str]:
    """Name conflicting options for the fetch and reading of a page."""
    if options.max_interval is not None and options.max_interval < options.interval:
        yield f"maxInterval: it must not be less than the interval, which is {options.interval} s"
    if options.failing_after > 1 and not options.notify_failures:
        yield "failingAfter: only with notifyFailures"
    given = {canonical_type(options.content_type), type_in_view(options.view)} - {None}
    if len(given) > 1:
        yield "view.as: it is another name of documentContentType, which differs"


def pages_faults(options: Options, document: str) -> Iterator[str]:
    """Name the options only for subscriptions to a single page."""
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


def condition_faults(request: Subscribe) -> Iterator[str]:
    """Yield the faults of a number's conditions, and conflicts with a number."""
    options, when = request.options, request.options.when
    if options.view.number is None:
        if when != Conditions():
            yield "when: only with view.number"
        return
    if when != Conditions() and (options.patience or options.patience_visits):
        # What was notified before follows from the series, in which all numbers stood.
        yield "patience: not with when, by which one number is notified and another is not"
    if request.keywords and set(request.keywords) != set(ANY):
        yield "keywords: a view with view.number has the number alone; leave them out"
    for name, is_set in (
        ("ignoreNoise", options.ignore_noise),
        ("ignoreReturns", options.ignore_returns),
    ):
        if is_set:
            yield f"{name}: not with view.number, which has the number alone; use when"
    yield from _limit_faults(when)


def _limit_faults(when: Conditions) -> Iterator[str]:
    is_valid = True
    for field in record_fields(Conditions):
        if not field.allows(value := getattr(when, field.name)):
            is_valid = False
            yield f"when.{field.json_name}: {field.allowed} is allowed, not {str(value)[:50]!r}"
    if is_valid and when.below and when.above and Decimal(when.below) > Decimal(when.above):
        yield f"when.below: {when.below} is more than the upper limit {when.above} (when.above)"


def time_faults(request: Subscribe) -> Iterator[str]:
    """Yield the faults of a subscription's hours and days, and of their time zone."""
    options = request.options
    # What is too long is refused as such, and takes long to read.
    if options.hours and len(options.hours) <= MAX_HOURS:
        try:
            parse_hours(options.hours)
        except InvalidHours as error:
            yield f"hours: {error}"
    if request.receiver.session is not None:
        chosen = {"hours": options.hours, "maxPerDay": options.max_per_day}
        for name in filter(chosen.get, chosen):
            yield f"{name}: only for a webhook or a channel; a session reads at any time"
    if options.timezone and not options.hours and not options.max_per_day:
        yield "timezone: only hours and maxPerDay have one"
    elif options.timezone and (fault := timezone_fault(options.timezone)) is not None:
        yield f"timezone: {fault}, not {options.timezone[:80]!r}"


def judging_faults(options: Options) -> Iterator[str]:
    """Yield the faults of a subscription's wishes for a language model.

    >>> list(judging_faults(Options(summary_wish="as a table")))
    ['summaryWish: only with summary']
    """
    if options.rule is not None and not options.rule.strip():
        yield "rule: it has no word; leave it out"
    if not options.summary:
        if options.summary_wish is not None:
            yield "summaryWish: only with summary"
        if options.summary_language is not None:
            yield "summaryLanguage: only with summary"
    if options.hold_unjudged is not None and options.rule is None and not options.summary:
        yield "holdUnjudged: only with rule or summary"


def crawl_faults(crawl: CrawlOptions, most: int = MAX_PAGES) -> Iterator[str]:
    """Yield the invalid fields of a crawl, each with the valid values.

    The deployment allows ``most`` pages.

    >>> list(crawl_faults(CrawlOptions(depth=9)))
    ['crawl.depth: 0 to 5 links are allowed, not 9']
    """
    for field in record_fields(CrawlOptions):
        value = getattr(crawl, field.name)
        if not field.allows(value):
            given = repr(value)[:100]
            yield f"crawl.{field.json_name}: {field.allowed} are allowed, not {given}"
    if most < crawl.max_pages <= MAX_PAGES:
        yield f"crawl.maxPages: 1 to {most} pages are allowed here, not {crawl.max_pages}"


def backfill_faults(request: Backfill) -> Iterator[str]:
    """Name the fields of a request out of range, and the allowed values.

    >>> from schemas.records.subscriptions import Receiver
    >>> list(backfill_faults(Backfill("https://example.org/", Receiver(), since="May")))
    ["since: expected a time as in RFC 3339, not 'May'"]
    """
    if is_pages(request.document_url):
        yield "documentUrl: only the changes of one page can be notified afterwards"
    for field in record_fields(Backfill):
        value = getattr(request, field.name)
        if field.name in _TIMES and value:
            try:
                epoch_ms(value)
            except ValueError:
                yield f"{field.name}: expected a time as in RFC 3339, not {value[:40]!r}"
        if field.name == "limit" and not field.allows(value):
            yield f"limit: {field.allowed} are allowed"
