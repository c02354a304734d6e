"""Read a document as text: by a plug-in, or by the built-in reader of its content type."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import READERS
from connectors.readers.errors import Unreadable
from connectors.readers.normalization import normalized_page
from connectors.readers.page_text import PageText
from connectors.readers.sniffing import sniffed_type
from schemas.answers import Reading

if TYPE_CHECKING:
    from connectors.readers.builtin import Reader

_UNSPECIFIC = ("", "application/octet-stream", "application/unknown", "unknown/unknown")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)


def read_document(
    body: bytes, header: str | None, chosen: str | None, plugins: Plugins | None = None
) -> Reading:
    r"""Read a document as a person sees it; the text is in NFKC.

    ``header`` is the response's Content-Type; ``chosen``, the client's, takes precedence;
    without either the content decides. A plug-in takes precedence over the built-in
    reader, which is used if the plug-in fails. Raises Unreadable if there is no reader for
    the content type, the content is of another type, or the reader fails.

    Example:
        >>> read_document(b"<p>Zeus<p>Hera", "text/html", None)
        Reading(text='Zeus\nHera', content_type='text/html', title='', headings=())
    """
    declared = chosen if chosen is not None else header or ""
    media = _media_type(declared)
    if media in _UNSPECIFIC:
        media = sniffed_type(body)
    charset = _CHARSET.search(declared) or _CHARSET.search(header or "")
    page = normalized_page(_page(media, body, charset[1] if charset else None, plugins))
    return Reading(
        text=page.text,
        content_type=chosen if chosen is not None else media,
        title=page.title,
        headings=page.headings,
    )


def read_with_plugins(folder: Path, body: bytes, header: str | None, chosen: str | None) -> Reading:
    """Read as ``read_document`` does, with the plug-ins that are in a folder, and installed ones.

    A process loads each plug-in once, and again when it changes.
    """
    return read_document(body, header, chosen, _plugins(folder))


@cache
def _plugins(folder: Path) -> Plugins:
    return open_plugins(READERS, folder)


def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


def _page(media: str, body: bytes, charset: str | None, plugins: Plugins | None) -> PageText:
    # A worker hands documents to other processes, so it can do without the parsers: 24 MB.
    from connectors.readers.builtin import reader  # noqa: PLC0415

    plugin = plugins.find(media) if plugins else None
    built_in = reader(media)
    if plugin is not None:
        try:
            return PageText(plugin(body, charset))
        except Unreadable:
            raise
        except Exception as error:  # a fault of a plug-in is reported, and costs no document
            plugin.report(error)
            if built_in is None:
                raise Unreadable(f"the plug-in {plugin.origin} failed: {error!r}") from error
    if built_in is None:
        raise Unreadable(f"there is no reader for the content type {media[:100]!r}")
    return _read_built_in(built_in, media, body, charset)


def _read_built_in(built_in: "Reader", media: str, body: bytes, charset: str | None) -> PageText:
    try:
        return built_in(body, charset)
    except Unreadable:
        raise
    except Exception as error:  # a document may crash a parser, but must not crash the worker
        raise Unreadable(f"the reader of {media} failed: {error!r}") from error
