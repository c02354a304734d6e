"""Read a document as text: by a plug-in, or by the built-in reader of its content type."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from connectors.language_tags import language_code
from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import READERS
from connectors.readers.errors import Unreadable, unfit_view
from connectors.readers.normalization import normalized_page
from connectors.readers.page_text import PageText, RawPage
from connectors.readers.sniffing import actual_type, declared_type, may_be_json
from schemas.records.answers import Reading
from schemas.records.views import View, is_of_product

if TYPE_CHECKING:
    from connectors.plugins.plugin import Plugin
    from connectors.readers.builtin import Reader, ReadViews

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)


def read_document(
    body: bytes, header: str | None, chosen: str | None, plugins: Plugins | None = None
) -> Reading:
    r"""Read the visible text of a document, in NFKC.

    ``header`` is the response's Content-Type; ``chosen``, the client's, takes precedence; without
    either the content decides. A plug-in takes precedence over the built-in reader, which is used
    if the plug-in fails. Raises Unreadable if there is no reader for the content type, the content
    is of another type, or the reader fails.

    Example:
        >>> reading = read_document(b"<p>Zeus<p>Hera", "text/html", None)
        >>> reading.text, reading.content_type
        ('Zeus\nHera', 'text/html')
    """
    (reading,) = read_views(body, header, [View(content_type=chosen)], plugins)
    if isinstance(reading, Unreadable):
        raise reading
    return reading


def read_views(
    body: bytes,
    header: str | None,
    views: Sequence[View],
    plugins: Plugins | None = None,
    url: str = "",
) -> list[Reading | Unreadable]:
    """Read a document in each view, with a single parse for all views of a content type.

    The rest is as for ``read_document``; its errors are returned for each view. ``url`` is the base
    of the page's relative addresses.
    """
    by_type: defaultdict[tuple[str | None, str], list[int]] = defaultdict(list)
    for at, view in enumerate(views):
        by_type[view.content_type, _type_for(view, header or "", body)].append(at)
    found: dict[int, Reading | Unreadable] = {}
    for (chosen, media), places in by_type.items():
        several = [views[at] for at in places]
        declared = (chosen, header or "")
        read = _read_as(media, declared, RawPage(body, url=url), several, plugins)
        found |= zip(places, read, strict=True)
    return [found[at] for at in range(len(views))]


def read_with_plugins(
    folder: str, body: bytes, header: str | None, views: Sequence[View], url: str = ""
) -> list[Reading | Unreadable]:
    """Read like ``read_views``, with the plug-ins in a folder, and installed plug-ins.

    A process loads each plug-in once, and again after its change.
    """
    return read_views(body, header, views, _plugins(folder), url)


def html_of(body: bytes, header: str | None) -> str | None:
    """Return the HTML of a document by its Content-Type header, None for another type.

    Raises Unreadable if the document cannot be decoded.
    """
    from connectors.readers.html import decoded_html  # noqa: PLC0415 - see _pages

    if actual_type(header or "", body) != "text/html":
        return None
    charset = _CHARSET.search(header or "")
    return decoded_html(body, charset[1] if charset else None)


def _type_for(view: View, header: str, body: bytes) -> str:
    """Return the content type as which a document is read in a view.

    JSON is declared as many other types, and JSONPath asks for JSON.
    """
    if view.content_type is not None:
        return declared_type(view.content_type, body)
    media = actual_type(header, body)
    asks_for_json = any(each.jsonpath is not None for each in (*view.select, *view.exclude))
    is_declared = media.endswith(("/json", "+json"))
    return "application/json" if asks_for_json and not is_declared and may_be_json(body) else media


def _read_as(
    media: str,
    declared: tuple[str | None, str],
    page: RawPage,
    views: Sequence[View],
    plugins: Plugins | None,
) -> Iterator[Reading | Unreadable]:
    """Read as a content type; ``declared`` are the chosen language (or None), and the header."""
    from connectors.readers.builtin import built_in_id  # noqa: PLC0415 - see _pages
    from connectors.readers.declared_language import declared_language  # noqa: PLC0415 - see _pages
    from connectors.readers.passages import page_in_view, views_to_read  # noqa: PLC0415 - see _pages

    chosen, header = declared
    charset = _CHARSET.search(chosen or header) or _CHARSET.search(header)
    shown = chosen if chosen is not None else media
    bases = [list(views_to_read(view)) for view in views]
    wanted = list(dict.fromkeys(chain.from_iterable(bases)))
    page = replace(page, charset=charset[1] if charset else None)
    texts = [
        each if isinstance(each, Unreadable) else normalized_page(each)
        for each in _pages(media, page, wanted, plugins)
    ]
    pages = dict(zip(wanted, texts, strict=True))
    language = _declared(media, texts) or declared_language(media, page.body)
    reader = built_in_id(media)
    for view, several in zip(views, bases, strict=True):
        found = page_in_view(view, [pages[each] for each in several])
        yield found if isinstance(found, Unreadable) else _reading(found, shown, language, reader)


def _declared(media: str, pages: Sequence[PageText | Unreadable]) -> str:
    """Return the language of HTML found by its reader, empty if there is none."""
    tags = (page.language for page in pages if isinstance(page, PageText))
    return next(filter(None, map(language_code, tags)), "") if media == "text/html" else ""


def _reading(page: PageText, content_type: str, language: str, reader: str) -> Reading:
    """Make a reading of a page; ``reader`` is the built-in one, unless a plug-in has read it."""
    return Reading(
        text=page.text,
        content_type=content_type,
        title=page.title,
        headings=page.headings,
        confidence=page.confidence,
        language=language,
        number=page.number,
        reader=page.reader or reader,
    )


@cache
def _plugins(folder: str) -> Plugins:
    return open_plugins(READERS, Path(folder))


def _pages(
    media: str, page: RawPage, views: Sequence[View], plugins: Plugins | None
) -> list[PageText | Unreadable]:
    # A worker hands documents to other processes, so it can do without the parsers: 24 MB.
    from connectors.readers.builtin import reader, views_reader  # noqa: PLC0415

    plugin, read_views_of = plugins.find(media) if plugins else None, views_reader(media)
    wanted = [view for view in views if _is_of_parts(view)]
    has_number = any(view.number is not None for view in views)
    if (wanted or has_number) and plugin is None and read_views_of is not None:
        wanted = list(views)  # in one parse; a plug-in reads whole documents alone
    found: dict[View, PageText | Unreadable] = {}
    if wanted:
        found = dict(zip(wanted, _parts(read_views_of, media, page, wanted), strict=True))
    if any(view not in found for view in views):
        whole = _whole(reader(media), plugin, media, page)
        return [found.get(view, whole) for view in views]
    return [found[view] for view in views]


def _is_of_parts(view: View) -> bool:
    """Return whether a view needs more than the text of the whole document."""
    is_part = view.select or view.exclude or view.main or view.attributes or view.rows
    return bool(is_part) or is_of_product(view) or view.stock


def _parts(
    read: "ReadViews | None", media: str, page: RawPage, views: Sequence[View]
) -> Sequence[PageText | Unreadable]:
    if read is None:
        content = repr(media[:100])
        why = Unreadable(f"view.select and view.exclude find nothing in {content}")
        return [unfit_view(view, content) or why for view in views]
    try:
        return read(page, views)
    except Unreadable as error:
        return [error] * len(views)
    except Exception as error:  # noqa: BLE001  # as below
        return [Unreadable(f"the reader of {media} failed: {error!r}")] * len(views)


def _whole(
    built_in: "Reader | None", plugin: "Plugin | None", media: str, page: RawPage
) -> PageText | Unreadable:
    if plugin is not None:
        try:
            return PageText(plugin(page.body, page.charset), reader=plugin.id)
        except Unreadable as error:
            return error
        except Exception as error:  # noqa: BLE001  # it is reported, and costs no document
            plugin.report(error)
            if built_in is None:
                return Unreadable(f"the plug-in {plugin.origin} failed: {error!r}")
    if built_in is None:
        return Unreadable(f"there is no reader for the content type {media[:100]!r}")
    return _read_built_in(built_in, media, page)


def _read_built_in(built_in: "Reader", media: str, page: RawPage) -> PageText | Unreadable:
    try:
        return built_in(page.body, page.charset)
    except Unreadable as error:
        return error
    except Exception as error:  # noqa: BLE001  # it may crash a parser, but must not crash the worker
        return Unreadable(f"the reader of {media} failed: {error!r}")
