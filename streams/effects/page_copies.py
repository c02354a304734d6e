"""Copies of pages on trial. The processes that make them import this module, and no HTTP client."""

from collections.abc import Iterable

from schemas.records.previews import CopiedPage, PickedPart
from schemas.records.views import Selector


def copied(
    body: bytes, header: str | None, known: str, selectors: Iterable[Selector]
) -> CopiedPage:
    """Copy a page, in the process of its reader; no other needs the parsers."""
    from connectors.picking.picker import copied_page  # noqa: PLC0415

    return copied_page(body, header, known, selectors)


def picked(body: bytes, header: str | None, number: int) -> PickedPart | None:
    """Find selectors for an element, in the process of the page's reader."""
    from connectors.picking.picker import picked_part  # noqa: PLC0415

    return picked_part(body, header, number)
