"""Documents as text: one small reader per kind of content."""

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import READERS
from connectors.readers.charsets import Unreadable
from connectors.readers.plain import normalized
from connectors.readers.sniffing import sniffed
from schemas.answers import Reading

if TYPE_CHECKING:
    from connectors.readers.builtin import Reader

__all__ = ["Unreadable", "plugged_in_reader", "read"]

_UNTOLD = ("", "application/octet-stream", "application/unknown", "unknown/unknown")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';]+)", re.IGNORECASE)


def read(
    body: bytes, header: str | None, chosen: str | None, plugins: Plugins | None = None
) -> Reading:
    """Give a document's text, in NFKC, as a person sees it.

    ``header`` is the response's Content-Type; ``chosen``, the client's, goes before it;
    without either the content decides. A plug-in goes before the built-in reader, which
    serves where the plug-in fails. Raises Unreadable if there is no reader for the type,
    the content is not what it should be, or the reader fails on it.
    """
    told = chosen if chosen is not None else header or ""
    media = _media_type(told)
    if media in _UNTOLD:
        media = sniffed(body)
    charset = _CHARSET.search(told) or _CHARSET.search(header or "")
    text = _text(media, body, charset[1] if charset else None, plugins)
    return Reading(normalized(text), chosen if chosen is not None else media)


def plugged_in_reader(folder: Path, body: bytes, header: str | None, chosen: str | None) -> Reading:
    """Read as ``read`` does, with the plug-ins that are in a folder now, and installed ones.

    A process that is handed only this function keeps what it has loaded of them.
    """
    return read(body, header, chosen, _plugins(folder))


@cache
def _plugins(folder: Path) -> Plugins:
    return open_plugins(READERS, folder)


def _media_type(header: str) -> str:
    return header.partition(";")[0].strip().lower()


def _text(media: str, body: bytes, charset: str | None, plugins: Plugins | None) -> str:
    # A worker hands documents to other processes: it needs none of the parsers, 24 MB.
    from connectors.readers.builtin import reader  # noqa: PLC0415

    plugin = plugins.find(media) if plugins else None
    built_in = reader(media)
    if plugin is not None:
        try:
            return plugin(body, charset)
        except Unreadable:
            raise
        except Exception as error:  # its faults are reported, and cost nothing
            plugin.report(error)
            if built_in is None:
                raise Unreadable(f"the plug-in {plugin.origin} failed: {error!r}") from error
    if built_in is None:
        raise Unreadable(f"there is no reader for the content type {media[:100]!r}")
    return _built_in(built_in, media, body, charset)


def _built_in(built_in: "Reader", media: str, body: bytes, charset: str | None) -> str:
    try:
        return built_in(body, charset)
    except Unreadable:
        raise
    except Exception as error:  # a document may trip a parser; it must not trip the worker
        raise Unreadable(f"the reader of {media} failed: {error!r}") from error
