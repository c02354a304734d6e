"""The exception of a visit that cannot be made for a reason that is not the page's."""

from collections.abc import Sequence

from streams.agents.fetch.cache import CachedState


class Postponed(Exception):
    """A visit has to be repeated later, and counts as no failure; the text says why."""

    def __init__(self, reason: str, states: Sequence[CachedState] | None = None) -> None:
        """``states`` are what to cache of the page, None if that is for the store to say."""
        super().__init__(reason)
        self.states = states
