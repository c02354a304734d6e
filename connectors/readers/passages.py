"""Quoted passages and ignored patterns of a view."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from connectors.patterns import matched_spans
from connectors.readers.cutting import merged_spans, without_spans
from connectors.readers.errors import (
    NothingSelected,
    Unreadable,
    no_stock,
    nothing_like_a_quote,
    nothing_selected,
)
from connectors.readers.numbers.reading import number_in
from connectors.readers.page_text import PageText
from connectors.readers.quotes import LEAST, found_quote, nearest_passage
from connectors.readers.stock import stock_in
from schemas.records.numbers import PRODUCT_NUMBER, TEXT_NUMBER, NumberOptions
from schemas.records.views import Quote, Selector, View, is_of_product, without_quotes


def views_to_read(view: View) -> Iterator[View]:
    """Yield the views, without passages, in which a page is read for a view."""
    if not (view.select or view.exclude or view.ignore or view.on_status or view.number):
        yield view
        return
    select, exclude = without_quotes(view.select), without_quotes(view.exclude)
    of_text = None if view.number is None else TEXT_NUMBER
    number = PRODUCT_NUMBER if is_of_product(view) else of_text
    base = replace(
        view,
        select=select,
        exclude=exclude,
        ignore=(),
        on_status=(),
        number=number,
        stock=view.stock and not view.select,
    )
    if base.select or not view.select:
        yield base
    if any(_quotes(view.select)):
        yield replace(base, select=())


def page_in_view(view: View, read: Sequence[PageText | Unreadable]) -> PageText | Unreadable:
    """Return a page in a view, or why there is none; ``read`` is the page in ``views_to_read``."""
    quotes = list(_quotes(view.select))
    page = _page_with_quotes(quotes, read[-1], read[:-1]) if quotes else read[0]
    if isinstance(page, Unreadable):
        return page
    quoted = (found_quote(page.text, quote) for quote in _quotes(view.exclude))
    spans = (each.span for each in quoted if each is not None)
    ignored = matched_spans(page.text, view.ignore) if view.ignore else ()
    excluded = [*spans, *ignored]
    page = without_spans(page, excluded) if excluded else page
    if view.stock:
        stock = stock_in(page.text)
        return no_stock() if stock is None else replace(page, text=stock, headings=())
    return page if view.number is None else _page_of_number(page, view.number)


def _page_of_number(page: PageText, options: NumberOptions) -> PageText | Unreadable:
    """Return a page of which the text is the number alone."""
    try:
        number = number_in(page.text, options, page.language)
    except NothingSelected as error:
        return error
    number = replace(number, doubts=(*number.doubts, *page.doubts))
    return replace(page, text=str(number), headings=(), number=number)


def _page_with_quotes(
    quotes: Iterable[Quote], whole: PageText | Unreadable, others: Sequence[PageText | Unreadable]
) -> PageText | Unreadable:
    """Return the matches of other selectors, if any, and the quoted passages of a page."""
    if isinstance(whole, Unreadable):
        return whole
    nearest = [each for quote in quotes if (each := nearest_passage(whole.text, quote))]
    found = [each for each in nearest if each.confidence >= LEAST]
    page = replace(whole, text="", headings=())
    for other in others:
        if isinstance(other, PageText):
            page = other
        elif not found or not isinstance(other, NothingSelected):
            return other
    if not found and not others:
        most = max((each.confidence for each in nearest), default=0.0)
        return nothing_like_a_quote(most, LEAST) if most else nothing_selected()
    passages = merged_spans(each.span for each in found)
    texts = [page.text] if page.text else []
    texts += (whole.text[start:end] for start, end in passages)
    confidence = min((each.confidence for each in found), default=None)
    return replace(page, text="\n".join(texts), confidence=confidence)


def _quotes(selectors: Iterable[Selector]) -> Iterator[Quote]:
    return (each.quote for each in selectors if each.quote is not None)
