"""Edit a watch, or begin another watch with its values, in the form to add a watch."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from connectors.page.add.add_form import (
    DEPTHS,
    ENDS,
    LONGEST,
    PATIENCES,
    UNITS,
    AddForm,
    request_body,
)
from connectors.page.filters import HERE
from connectors.requests.identity import replacement_of
from schemas.codec.json_requests import readable_subscribe
from schemas.records.channels import channel_name
from schemas.records.faults import Fault
from schemas.records.fields import record_fields
from schemas.records.numbers import NumberOptions
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import ViewOptions

Record = TypeVar("Record", Options, ViewOptions)


def form_of(subscription: Subscription) -> AddForm:
    """Return the form with the values of a watch; values without a field are left out.

    >>> from schemas.records.subscriptions import Receiver
    >>> url = "https://example.org/"
    >>> form = form_of(
    ...     Subscription("s", "w", "m", url, url, Receiver("channel:team"), ("*",), Options(), 0)
    ... )
    >>> form.url, form.send, form.channel, form.keywords, form.interval, form.unit
    ('https://example.org/', 'channel', 'team', '', '10', 'minutes')
    """
    options, view = subscription.options, subscription.options.view
    selector = view.select[0] if len(view.select) == 1 else None
    quote = None if selector is None else selector.quote
    number, when, crawl = view.number or NumberOptions(), options.when, options.crawl
    unit = next(name for name, size in reversed(UNITS.items()) if options.interval % size == 0)
    return replace(
        _receiver_form(subscription.receiver),
        url=subscription.document_url,
        name=subscription.name,
        by="css" if quote is None else "quote",
        part=(selector.css or "") if selector is not None else "",
        quote="" if quote is None else quote.exact,
        prefix="" if quote is None else quote.prefix,
        suffix="" if quote is None else quote.suffix,
        keywords="\n".join(word for word in subscription.keywords if word != "*"),
        interval=str(options.interval // UNITS[unit]),
        unit=unit,
        longest=_choice(str(options.max_interval or ""), LONGEST),
        credentials=view.credentials,
        tags=", ".join(options.tags),
        ignore_case=options.ignore_case,
        stemming=options.enable_stemming,
        render=view.render,
        screenshot=view.screenshot,
        dropped=options.notify_dropped,
        notices=options.notify_failures,
        failing_after=str(options.failing_after),
        ends="never" if options.max_failures == 0 else _choice(str(options.max_failures), ENDS),
        number=view.number is not None,
        stock=view.stock,
        pick=number.pick,
        locale=number.locale,
        currency=number.currency,
        below=when.below or "",
        above=when.above or "",
        changes_by=when.changes_by or "",
        margin=when.margin if when.are_set else "",
        patience=_choice(_patience(options), PATIENCES),
        hours=options.hours or "",
        timezone=options.timezone or "",
        per_day=str(options.max_per_day or ""),
        crawl="" if crawl is None else _choice(str(crawl.depth), DEPTHS),
        max_pages="" if crawl is None else str(crawl.max_pages),
        rule=options.rule or "",
        summary=options.summary,
        summary_wish=options.summary_wish or "",
        summary_language=options.summary_language or "",
    )


def _receiver_form(receiver: Receiver) -> AddForm:
    if receiver.session == HERE:
        return AddForm(send="here")
    channel = channel_name(receiver.client_url)
    if channel is None:
        return AddForm(send="webhook", webhook=receiver.client_url or "")
    return AddForm(send="channel", channel=channel)


def _choice(value: str, choices: Mapping[str, str] | Sequence[tuple[str, str]]) -> str:
    return value if value in dict(choices) else ""


def _patience(options: Options) -> str:
    if options.patience_visits:
        return f"{options.patience_visits} visits"
    return str(options.patience or "")


def edited_request(
    subscription: Subscription, form: AddForm
) -> tuple[Subscribe, tuple[Fault, ...]]:
    """Return the request to replace a watch by its edited form, and the unreadable fields.

    Only differences from the former form are changed: values without a field stay.
    """
    before, _ = readable_subscribe(request_body(form_of(subscription)))
    after, unread = readable_subscribe(request_body(form))
    view = _changed(before.options.view, after.options.view, subscription.options.view)
    options = _changed(before.options, after.options, subscription.options)
    is_same = before.keywords == after.keywords
    keywords = subscription.keywords if is_same else after.keywords
    options = replace(options, view=view)
    return replace(replacement_of(subscription), keywords=keywords, options=options), unread


def _changed(before: Record, after: Record, stored: Record) -> Record:
    """Return the stored values with the fields changed by an edit."""
    kind: Any = type(stored)
    names = (field.name for field in record_fields(kind) if field.name != "view")
    changed = {
        name: value for name in names if (value := getattr(after, name)) != getattr(before, name)
    }
    return replace(stored, **changed)
