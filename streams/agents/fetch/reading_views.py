"""Reads a page in all views of a visit at once; what is too hard for that, in smaller parts."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from schemas.records.answers import ViewMissing
from schemas.records.documents import Document
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import LoginShown
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.page_links import PageLinks, with_links
from streams.agents.fetch.postponed import Postponed
from streams.agents.fetch.publishing import publish_visit
from streams.agents.fetch.state.lost_views import state_after_login_page, state_after_miss
from streams.agents.fetch.state.suspect_texts import is_of_another_reader
from streams.agents.fetch.view_visit import (
    ViewVisit,
    apply_state,
    handle_failure,
    kept_fresh,
    load_version,
)

log = structlog.get_logger()

PARTS = 8
"""Into so many parts the views are divided that are too hard together."""
MAX_LOADED = 16_000_000
"""Characters of the last texts, and bytes of pictures, of the views that are read at once.

One may have more.
"""


@dataclass(slots=True)
class ReadingViews:
    """Reads one page in several views, and notes what to cache of each in ``states``.

    ``is_late`` says that no time is left: the other views wait for their next slot.
    """

    effects: Effects
    page: FetchedPage
    states: dict[str, CachedState]
    is_late: Callable[[], bool]
    _postponed: str | None = None
    _links: PageLinks | None = None
    _is_hard: bool = False
    """Whether views were too hard together, and nothing has come of any of them yet."""

    async def read(self, visits: Sequence[ViewVisit]) -> str | None:
        """Read the page; returns why it has to be repeated. Raises OvertakenError.

        Views that failed at the last visit are read each by itself, after the others.
        """
        self._links = await self._find_links(visits)
        pending = deque([[visit for visit in visits if not visit.before.failures]])
        pending.extend([visit] for visit in visits if visit.before.failures)
        while pending:
            group = pending.popleft()
            # Something comes of each visit: so the view that is too hard is found in the end.
            if self.is_late() and not self._is_hard:
                self._leave(group, "no time was left to read the page")
            elif group:
                pending.extendleft(reversed(await self._read_group(group)))
        return self._postponed

    async def _find_links(self, visits: Sequence[ViewVisit]) -> PageLinks | None:
        """Find the links of the page if a crawl wants them; None if they are for the next visit."""
        asking = [visit.due for visit in visits if visit.due.links_since]
        if not asking:
            return None
        later: tuple[type[Exception], ...] = (Postponed, *self.effects.failures)
        try:
            return await self.effects.links(asking[0], self.page)
        except later as error:
            log.warning("the links are found later", url=asking[0].url, reason=str(error))
            return None

    async def _read_group(self, group: Sequence[ViewVisit]) -> list[list[ViewVisit]]:
        """Read the page in some views; returns those that remain, in the groups to read them in."""
        loaded = await self._load(group)
        rest = list(group[len(loaded) :])
        works = [(each.baseline, each.due) for each in loaded]
        try:
            outcomes = await self.effects.examine(works, self.page)
        except Postponed as error:
            self._postponed = str(error)
            self._leave(loaded, "the page is read later")
            return [rest]
        except self.effects.failures as error:
            if len(loaded) > 1:
                self._is_hard = True
                size = -(-len(loaded) // PARTS)
                return [*(loaded[at : at + size] for at in range(0, len(loaded), size)), rest]
            outcomes = [error]
        self._is_hard = False
        for each, outcome in zip(loaded, outcomes, strict=True):
            self.states[each.due.view_id] = await self._handled(each, outcome)
        return [rest]

    async def _load(self, group: Sequence[ViewVisit]) -> list[ViewVisit]:
        """Load what is stored of the first views of a group, up to a bound."""
        loaded: list[ViewVisit] = []
        size = 0
        for visit in group:
            stored = await load_version(self.effects, visit)
            if stored:
                kept = stored.text, stored.picture, stored.earlier_picture, stored.body
                size += sum(len(each or "") for each in kept)
            if loaded and size > MAX_LOADED:
                break
            loaded.append(replace(visit, stored=stored))
        return loaded

    def _leave(self, group: Sequence[ViewVisit], why: str) -> None:
        for visit in group:
            log.warning(why, **visit.ids)
            self.states[visit.due.view_id] = visit.before

    async def _handled(self, visit: ViewVisit, outcome: Document | Exception) -> CachedState:
        """Apply what became of a view, and return what to cache of it."""
        effects, response = self.effects, self.page.response
        after = self._after(visit, outcome)
        if after is None:
            assert isinstance(outcome, effects.failures), outcome
            state = await handle_failure(effects, visit, str(outcome))
            return kept_fresh(state, response, effects.clock())
        after = self._with_links(visit, after, outcome)
        if after.missing:
            log.info("missing", **visit.ids, reason=after.missing, lost=after.lost)
        else:
            # A page that changed nothing that is compared is read again and again.
            write = log.info if after.unpublished else log.debug
            write("read", **visit.ids, changes=len(after.unpublished), held=bool(after.held))
        self._log_reader(visit, after)
        state = await apply_state(effects, visit.stored, after)
        if isinstance(outcome, Document) and not after.held:
            state = await publish_visit(effects, visit.due, visit.before, state)
        return kept_fresh(state, response, effects.clock())

    def _with_links(
        self, visit: ViewVisit, after: Document, outcome: Document | Exception
    ) -> Document:
        """Publish the links, too, if they are those of the page, and it is believed."""
        due = visit.due
        if self._links is None or not due.links_since or after.held:
            return after
        if isinstance(outcome, LoginShown):
            return after
        return with_links(after, visit.baseline, due, self._links, self.page.at)

    def _log_reader(self, visit: ViewVisit, after: Document) -> None:
        """Log that another reader reads a page, and if what has changed cannot be said."""
        before = visit.baseline
        if before is None or not is_of_another_reader(before, after.reader):
            return
        values = {**visit.ids, "before": before.reader, "now": after.reader}
        if before.body is None and before.body_hash != self.page.body_hash:
            log.warning("another reader: what has changed is not compared", **values)
        else:
            log.info("another reader", **values)

    def _after(self, visit: ViewVisit, outcome: Document | Exception) -> Document | None:
        """Return the state of a view after it was read; None if that has failed."""
        before, due = visit.baseline, visit.due
        match outcome:
            case ViewMissing():
                return state_after_miss(before, due, self.page, str(outcome))
            case LoginShown():
                return state_after_login_page(before, due, reason=str(outcome), at=self.page.at)
        return outcome if isinstance(outcome, Document) else None
