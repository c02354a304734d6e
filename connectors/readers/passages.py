"""What of a view concerns the text itself: quoted passages, and patterns that are ignored."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from connectors.patterns import matched_spans
from connectors.readers.cutting import merged_spans, without_spans
from connectors.readers.errors import Unreadable, nothing_selected
from connectors.readers.page_text import PageText
from connectors.readers.quotes import FoundQuote, found_quote
from schemas.views import Quote, Selector, View

Pages = Mapping[View, PageText | Unreadable]


def views_to_read(view: View) -> Iterator[View]:
    """Yield the views, without passages, in which a page is read for a view."""
    base = replace(
        view, select=_parts(view.select), exclude=_parts(view.exclude), ignore=(), on_status=()
    )
    if base.select or not view.select:
        yield base
    if any(_quotes(view.select)):
        yield replace(base, select=())


def page_in_view(view: View, pages: Pages) -> PageText | Unreadable:
    """Return a page in a view, made of those in ``views_to_read``, or why there is none."""
    found = [pages[each] for each in views_to_read(view)]
    failed = next((each for each in found if isinstance(each, Unreadable)), None)
    if failed is not None:
        return failed
    page, *more = [each for each in found if isinstance(each, PageText)]
    quotes = list(_quotes(view.select))
    if quotes:
        whole = (more or [page])[0]
        found_quotes = list(_found(whole.text, quotes))
        passages = merged_spans(each.span for each in found_quotes)
        if not passages and not more:
            return nothing_selected()
        texts = [page.text] if more else []
        texts += (whole.text[start:end] for start, end in passages)
        page = replace(
            page,
            text="\n".join(texts),
            headings=page.headings if more else (),
            confidence=min((each.confidence for each in found_quotes), default=None),
        )
    quoted = (each.span for each in _found(page.text, _quotes(view.exclude)))
    excluded = [*quoted, *matched_spans(page.text, view.ignore)]
    return without_spans(page, excluded) if excluded else page


def _parts(selectors: Iterable[Selector]) -> tuple[Selector, ...]:
    return tuple(each for each in selectors if each.quote is None)


def _quotes(selectors: Iterable[Selector]) -> Iterator[Quote]:
    return (each.quote for each in selectors if each.quote is not None)


def _found(text: str, quotes: Iterable[Quote]) -> Iterator[FoundQuote]:
    found = (found_quote(text, quote) for quote in quotes)
    return (each for each in found if each is not None)
