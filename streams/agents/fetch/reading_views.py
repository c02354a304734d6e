"""Reads a page in all views of a visit at once; what is too hard for that, in smaller parts."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import structlog

from schemas.records.answers import ViewMissing
from schemas.records.documents import Document
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import FetchedResponse, LoginShown
from streams.agents.fetch.page_links import PageLinks, with_links
from streams.agents.fetch.put_off import PutOff
from streams.agents.fetch.state.losses import MissedPage, state_after_login_page, state_after_miss
from streams.agents.fetch.state.readers import is_of_another_reader
from streams.agents.fetch.state.snapshots import baseline_for
from streams.agents.fetch.turn import Turn, apply_state, handle_failure, kept_fresh, load_version
from streams.agents.fetch.visits import publish_visit

log = structlog.get_logger()

PARTS = 8
"""Into so many parts the views are divided that are too hard together."""
MAX_LOADED = 16_000_000
"""Characters of the last texts, and bytes of pictures, of the views that are read at once.

One may have more.
"""


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A turn, and what is stored of its view."""

    turn: Turn
    stored: Document | None

    @property
    def before(self) -> Document | None:
        """With what the page is compared."""
        return baseline_for(self.stored, self.turn.due)


@dataclass(slots=True)
class ReadingViews:
    """Reads one page in several views, and notes what to cache of each in ``states``.

    ``is_late`` says that no time is left: the other views wait for their next slot.
    """

    effects: Effects
    fetched: FetchedResponse
    states: dict[str, CachedState]
    is_late: Callable[[], bool]
    _put_off: str | None = None
    _links: PageLinks | None = None
    _is_hard: bool = False
    """Whether views were too hard together, and nothing has come of any of them yet."""

    async def read(self, turns: Sequence[Turn]) -> str | None:
        """Read the page; returns why it has to be repeated. Raises OvertakenError.

        Views that failed at the last visit are read each by itself, after the others.
        """
        self._links = await self._find_links(turns)
        pending = deque([[turn for turn in turns if not turn.before.failures]])
        pending.extend([turn] for turn in turns if turn.before.failures)
        while pending:
            group = pending.popleft()
            # Something comes of each visit: so the view that is too hard is found in the end.
            if self.is_late() and not self._is_hard:
                self._leave(group, "no time was left to read the page")
            elif group:
                pending.extendleft(reversed(await self._read_group(group)))
        return self._put_off

    async def _find_links(self, turns: Sequence[Turn]) -> PageLinks | None:
        """Find the links of the page if a crawl wants them; None if they are for the next visit."""
        asking = [turn.due for turn in turns if turn.due.links_since]
        if not asking:
            return None
        later: tuple[type[Exception], ...] = (PutOff, *self.effects.failures)
        try:
            return await self.effects.links(asking[0], self.fetched)
        except later as error:
            log.warning("the links are found later", url=asking[0].url, reason=str(error))
            return None

    async def _read_group(self, group: Sequence[Turn]) -> list[list[Turn]]:
        """Read the page in some views; returns those that remain, in the groups to read them in."""
        loaded = await self._load(group)
        rest = list(group[len(loaded) :])
        works = [(each.before, each.turn.due) for each in loaded]
        try:
            outcomes = await self.effects.examine(works, self.fetched)
        except PutOff as error:
            self._put_off = str(error)
            self._leave([each.turn for each in loaded], "the page is read later")
            return [rest]
        except self.effects.failures as error:
            if len(loaded) > 1:
                self._is_hard = True
                return [*_parts([each.turn for each in loaded]), rest]
            outcomes = [error]
        self._is_hard = False
        for each, outcome in zip(loaded, outcomes, strict=True):
            self.states[each.turn.due.view_id] = await self._handled(each, outcome)
        return [rest]

    async def _load(self, group: Sequence[Turn]) -> list[_Loaded]:
        """Load what is stored of the first views of a group, up to a bound."""
        loaded: list[_Loaded] = []
        size = 0
        for turn in group:
            stored = await load_version(self.effects, turn)
            size += _size(stored) if stored else 0
            if loaded and size > MAX_LOADED:
                break
            loaded.append(_Loaded(turn, stored))
        return loaded

    def _leave(self, group: Sequence[Turn], why: str) -> None:
        for turn in group:
            log.warning(why, **turn.ids)
            self.states[turn.due.view_id] = turn.before

    async def _handled(self, loaded: _Loaded, outcome: Document | Exception) -> CachedState:
        """Apply what became of a view, and return what to cache of it."""
        effects, turn, response = self.effects, loaded.turn, self.fetched.response
        after = self._after(loaded, outcome)
        if after is None:
            assert isinstance(outcome, effects.failures), outcome
            state = await handle_failure(effects, turn, str(outcome))
            return kept_fresh(state, response, effects.clock())
        after = self._with_links(loaded, after, outcome)
        if after.missing:
            log.info("missing", **turn.ids, reason=after.missing, lost=after.lost)
        else:
            # A page that changed nothing that is compared is read again and again.
            write = log.info if after.unpublished else log.debug
            write("read", **turn.ids, changes=len(after.unpublished), held=bool(after.held))
        self._log_reader(loaded, after)
        state = await apply_state(effects, loaded.stored, after)
        if not (after.missing or after.held):
            state = await publish_visit(effects, turn.due, turn.before, state)
        return kept_fresh(state, response, effects.clock())

    def _with_links(
        self, loaded: _Loaded, after: Document, outcome: Document | Exception
    ) -> Document:
        """Publish the links, too, if they are those of the page, and it is believed."""
        due = loaded.turn.due
        if self._links is None or not due.links_since or after.held:
            return after
        if isinstance(outcome, LoginShown):
            return after
        return with_links(after, loaded.before, due, self._links, self.fetched.at)

    def _log_reader(self, loaded: _Loaded, after: Document) -> None:
        """Log that another reader reads a page, and if what has changed cannot be said."""
        before = loaded.before
        if before is None or not is_of_another_reader(before, after.reader):
            return
        values = {**loaded.turn.ids, "before": before.reader, "now": after.reader}
        if before.body is None and before.body_hash != self.fetched.body_hash:
            log.warning("another reader: what has changed is not compared", **values)
        else:
            log.info("another reader", **values)

    def _after(self, loaded: _Loaded, outcome: Document | Exception) -> Document | None:
        """Return the state of a view after it was read; None if that has failed."""
        response, at = self.fetched.response, self.fetched.at
        match outcome:
            case ViewMissing():
                missed = MissedPage(
                    reason=str(outcome),
                    at=at,
                    etag=response.etag,
                    last_modified=response.last_modified,
                    body_hash=self.fetched.body_hash,
                )
                return state_after_miss(loaded.before, loaded.turn.due, missed)
            case LoginShown():
                return state_after_login_page(
                    loaded.before, loaded.turn.due, reason=str(outcome), at=at
                )
        return outcome if isinstance(outcome, Document) else None


def _size(stored: Document) -> int:
    kept = (stored.text, stored.picture, stored.earlier_picture, stored.body)
    return sum(len(each or "") for each in kept)


def _parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Divide turns that are too hard together."""
    size = -(-len(turns) // PARTS)
    return (list(turns[at : at + size]) for at in range(0, len(turns), size))
