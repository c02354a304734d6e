"""A page in a view: the part of a trial that may be hard work, done in a process of its own."""

from dataclasses import dataclass, replace

from schemas.answers import Reading, Response
from schemas.changes import Diff, Texts
from schemas.requests import Subscribe
from schemas.subscriptions import Options, Subscription
from schemas.views import Selector, View
from streams.core.fetching.snapshots import MAX_TEXT
from streams.core.text.keywords import ANY_CHANGE
from streams.core.text.language import detect_language
from streams.core.views import view_of
from streams.fetch.examining import Read
from streams.trial.seen import MAX_FIRST, MAX_MATCHES, SeenPage, SelectorResult


@dataclass(frozen=True, slots=True)
class TrialReader:
    """Reads a body in views; ``nothing`` is the error for selectors that find nothing."""

    read: Read
    nothing: type[Exception]


def seen_page(
    reader: TrialReader, asked: Subscribe, response: Response, fetched: SeenPage
) -> SeenPage:
    """Read a page as a subscription asks for it, and what each of its selectors finds."""
    view = view_of(asked.options, asked.manager)
    each = _single_views(asked.options, view)
    views = (view, *(single for *_, single in each))
    page, *parts = reader.read(response.body, response.content_type, views)
    results = [
        _result(reader, position, selector, part)
        for (position, selector, _), part in zip(each, parts, strict=True)
    ]
    found = replace(fetched, selectors=tuple(results))
    if isinstance(page, Exception):
        return replace(found, reason=str(page))
    if len(page.text.encode()) > MAX_TEXT:
        return replace(found, reason=f"its text is larger than {MAX_TEXT} bytes")
    language = detect_language(page.text)
    matches, more = _matches(asked, page, language)
    return replace(
        found,
        read_as=page.content_type,
        language=language,
        title=page.title,
        text=page.text,
        matches=matches[:MAX_MATCHES],
        more=more or len(matches) > MAX_MATCHES,
    )


def _single_views(options: Options, view: View) -> list[tuple[str, Selector, View]]:
    """Return each selector with its position, and the view that selects with it alone."""
    whole = replace(view, select=(), exclude=())
    lists = {"select": options.view.select, "exclude": options.view.exclude}
    return [
        (f"view.{name}[{at}]", selector, replace(whole, select=(selector,)))
        for name, selectors in lists.items()
        for at, selector in enumerate(selectors)
    ]


def _result(
    reader: TrialReader, position: str, selector: Selector, part: Reading | Exception
) -> SelectorResult:
    if isinstance(part, reader.nothing):
        return SelectorResult(position, selector)
    if isinstance(part, Exception):
        return SelectorResult(position, selector, reason=str(part))
    lines = [line for line in part.text.split("\n") if line.strip()]
    return SelectorResult(position, selector, len(lines), next(iter(lines), "")[:MAX_FIRST])


def _matches(asked: Subscribe, page: Reading, language: str) -> tuple[tuple[Diff, ...], bool]:
    """Return what a notification would say if all of the text were new."""
    # Only the processes that read need these modules.
    from streams.core.diff.regions import changed_regions  # noqa: PLC0415
    from streams.core.matching.matcher import Matcher  # noqa: PLC0415

    keywords = tuple(each for each in asked.keywords if each != ANY_CHANGE)
    if not keywords:
        return (), False
    options = replace(asked.options, ignore_added=False, ignore_removed=False, ignore_noise=False)
    subscription = Subscription(
        id="",
        watch="",
        manager=asked.manager,
        document_url=asked.document_url,
        url=asked.document_url,
        receiver=asked.receiver,
        keywords=keywords,
        options=options,
        created=0,
    )
    regions = changed_regions("", page.text, page.headings)
    texts = Texts(removed="", added=page.text)
    return Matcher(regions, language, page=asked.document_url, texts=texts).diffs(subscription)
