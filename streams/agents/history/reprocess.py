"""The stage itself: one page at a time of each partition."""

from collections.abc import Sequence

from streams.agents.history.reprocess_effects import ReprocessEffects
from streams.agents.history.reprocess_page import PageReprocess
from streams.values.outcome import Event, Lookup, Outcome, Owned, Send
from streams.values.topics import REPROCESSED


class ReprocessStage:
    """The stage."""

    def __init__(self, effects: ReprocessEffects) -> None:
        """Use these effects."""
        self._effects = effects

    def key(self, event: Event) -> str | None:
        """Read one page at a time: a large one must not be waited for with all others in hand."""
        return str(event.partition)

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load nothing: all that is known of a page is in the store."""

    def released(self) -> None:
        """Drop nothing."""

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Read one page again; a page that was read before a crash is read once more."""
        result = await PageReprocess(self._effects, event.fact).result()
        return Outcome((Send(REPROCESSED.name, result.url, result),))
