"""A page to pick a part from: the part of a preview that a separate process does."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from schemas.records.answers import Response
from schemas.records.previews import CopiedPage, PickedPart, Preview, PreviewQuery, SeenPage
from schemas.records.subscriptions import Subscription
from schemas.records.views import Selector
from streams.agents.history.try_reading import TrialReader, seen_page


@dataclass(frozen=True, slots=True)
class PreviewReader:
    """Reads a page, copies it for people to see, and finds selectors for what they pick.

    ``copy`` gets a body with its Content-Type header, the id of the copy that is known, and the
    selectors that are chosen; ``pick`` the number of an element instead.
    """

    trial: TrialReader
    copy: Callable[[bytes, str | None, str, Iterable[Selector]], CopiedPage]
    pick: Callable[[bytes, str | None, int], PickedPart | None]


def previewed_page(
    reader: PreviewReader,
    asked: Subscription,
    query: PreviewQuery,
    response: Response,
    fetched: SeenPage,
) -> Preview:
    """Read a page and copy it; with an element that is picked, as if that were chosen.

    An element of another copy is not picked: its number may be that of anything.
    """
    body, header = response.body, response.content_type
    page = reader.copy(body, header, query.known, asked.options.view.select)
    others = query.others
    if query.picked is not None and query.known == page.copy_id:
        part = reader.pick(body, header, query.picked)
        if part is not None and part.selectors:
            chosen = part.selectors[-1 if query.by_quote else 0]
            asked = _selecting(asked, chosen)
            others = tuple(each for each in part.selectors if each != chosen)
            page = replace(page, picked=part, found=(query.picked,))
    return Preview(seen_page(reader.trial, asked, response, fetched, others), page)


def _selecting(asked: Subscription, selector: Selector) -> Subscription:
    view = replace(asked.options.view, select=(selector,))
    return replace(asked, options=replace(asked.options, view=view))
