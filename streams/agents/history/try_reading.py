"""Read a page in a view: the part of a trial that may be hard work, for a separate process."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from schemas.records.answers import Reading, Response
from schemas.records.changes import Diff, Texts
from schemas.records.previews import IgnoredText, SeenPage, SelectorResult
from schemas.records.subscriptions import Subscription
from schemas.records.views import Quote, Selector, View, is_by_position, without_quotes
from streams.agents.fetch.examining import Read
from streams.agents.fetch.state.snapshots import MAX_TEXT
from streams.text.keywords import ANY_CHANGE
from streams.text.language import detect_language
from streams.values.views import view_of

MAX_FIRST = 200
"""Characters of the first text that a selector or a pattern finds."""
MAX_MATCHES = 100
POSITION_DOUBT = "a position: after one more is added before it, this is another one"
"""Of a CSS selector that counts elements."""


@dataclass(frozen=True, slots=True)
class TrialReader:
    """Reads a body in views; ``nothing`` is the error for selectors that find nothing.

    ``matched`` returns where patterns match in a text, ``doubt`` why a quote may lose its passage.
    ``clock`` returns the CPU seconds of its process.
    """

    read: Read
    nothing: type[Exception]
    matched: Callable[[str, Iterable[str]], Sequence[tuple[int, int]]]
    doubt: Callable[[str, Quote], str]
    clock: Callable[[], float]


@dataclass(frozen=True, slots=True)
class _Single:
    """A selector of a view, and the view that selects with it alone."""

    list_name: str
    position: str
    selector: Selector
    view: View


def seen_page(
    reader: TrialReader,
    asked: Subscription,
    response: Response,
    fetched: SeenPage,
    others: tuple[Selector, ...] = (),
) -> SeenPage:
    """Read a page as a subscription asks for it, and what each part of its view finds.

    Of ``others`` it is said what they would find; they are no part of the view.
    """
    view, singles = view_of(asked.options, asked.manager), list(_singles(asked, others))
    unignored = replace(view, ignore=(), number=None, stock=False)
    for_doubts = _views_for_doubts(view, others)
    each = (single.view for single in singles)
    views = list(dict.fromkeys((view, unignored, *for_doubts.values(), *each)))
    begun, url = reader.clock(), response.url or asked.url
    read = reader.read(response.body, response.content_type, views, url)
    read_ms = ceil(1000 * (reader.clock() - begun))
    readings = dict(zip(views, read, strict=True))
    results = []
    for single in singles:
        base = for_doubts.get(single.list_name, single.view)
        reading, quote = readings[base], single.selector.quote
        doubt = POSITION_DOUBT if is_by_position(single.selector.css or "") else ""
        if quote is not None and not isinstance(reading, Exception):
            doubt = reader.doubt(reading.text, quote)
        results.append(replace(_result(reader, single, readings[single.view]), doubt=doubt))
    ignored = _removed_texts(reader, asked.options.view.ignore, readings[unignored])
    found = replace(fetched, selectors=tuple(results), ignored=tuple(ignored), read_ms=read_ms)
    return _with_text(found, asked, readings[view], response.language)


def _views_for_doubts(view: View, others: tuple[Selector, ...]) -> dict[str, View]:
    """Return in which view the text is read that quotes are sought in, by the name of their list.

    Without quotes no view is needed. ``others`` are selected if they are chosen instead.
    """
    lists = {"select": view.select, "exclude": view.exclude, "others": others}
    text = replace(view, ignore=(), number=None, stock=False)
    without = replace(text, exclude=without_quotes(view.exclude))
    whole = replace(without, select=())
    bases = {"select": whole, "exclude": without, "others": whole}
    return {name: bases[name] for name, found in lists.items() if without_quotes(found) != found}


def _removed_texts(
    reader: TrialReader, patterns: Sequence[str], reading: Reading | Exception
) -> Iterator[IgnoredText]:
    """Yield what each pattern removes from a text that was read without them."""
    if isinstance(reading, Exception):
        return
    for at, pattern in enumerate(patterns):
        spans = reader.matched(reading.text, [pattern])
        first = reading.text[slice(*spans[0])][:MAX_FIRST] if spans else ""
        yield IgnoredText(f"view.ignore[{at}]", pattern, len(spans), first)


def _with_text(
    found: SeenPage, asked: Subscription, page: Reading | Exception, declared: str
) -> SeenPage:
    if isinstance(page, Exception):
        return replace(found, reason=str(page))
    if len(page.text.encode()) > MAX_TEXT:
        return replace(found, reason=f"its text is larger than {MAX_TEXT} bytes")
    language = detect_language(page.text, page.language or declared)
    matches, more = _matches(asked, page, language)
    return replace(
        found,
        read_as=page.content_type,
        language=language,
        title=page.title,
        text=page.text,
        number=page.number,
        matches=matches[:MAX_MATCHES],
        more=more or len(matches) > MAX_MATCHES,
    )


def _singles(asked: Subscription, others: tuple[Selector, ...]) -> Iterator[_Single]:
    options = asked.options
    lists = (
        ("select", options.view.select),
        ("exclude", options.view.exclude),
        ("others", others),
    )
    for name, selectors in lists:
        for at, selector in enumerate(selectors):
            # What it finds, not the number or the stock in that.
            alone = replace(options.view, select=(selector,), exclude=(), number=None, stock=False)
            view = view_of(replace(options, view=alone), asked.manager)
            yield _Single(name, f"view.{name}[{at}]", view.select[0], view)


def _result(reader: TrialReader, single: _Single, part: Reading | Exception) -> SelectorResult:
    if isinstance(part, reader.nothing):
        return SelectorResult(single.position, single.selector)
    if isinstance(part, Exception):
        return SelectorResult(single.position, single.selector, reason=str(part))
    lines = [line for line in part.text.split("\n") if line.strip()]
    first = next(iter(lines), "")[:MAX_FIRST]
    confidence = part.confidence
    return SelectorResult(
        single.position, single.selector, len(lines), first, confidence=confidence
    )


def _matches(asked: Subscription, page: Reading, language: str) -> tuple[tuple[Diff, ...], bool]:
    """Return what a notification would say if all of the text were new."""
    # Only the processes that read need these modules.
    from streams.diff.regions import changed_regions  # noqa: PLC0415
    from streams.matching.matcher import Matcher  # noqa: PLC0415

    keywords = tuple(each for each in asked.keywords if each != ANY_CHANGE)
    if not keywords:
        return (), False
    options = replace(asked.options, ignore_added=False, ignore_removed=False, ignore_noise=False)
    subscription = replace(asked, keywords=keywords, options=options)
    regions = changed_regions("", page.text, page.headings)
    texts = Texts(removed="", added=page.text)
    return Matcher(regions, language, page=asked.url, texts=texts).diffs(subscription)
