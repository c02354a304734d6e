"""How closely the edited sentences of one change are looked at: with a bound on the work."""

from streams.diff.cleanup import merge_close_edits
from streams.diff.common_ends import has_same_units
from streams.diff.comparison import differing_part, text_edits
from streams.diff.noise import MAX_LENGTH, noise_of
from streams.diff.sentences import Edits

# Characters of pairs that are looked through for noise in one change: about 0.8 s.
_NOISE_BUDGET = 800_000
# Edits of words that are found in one change: about 1 s.
_EDITS_BUDGET = 50_000


class Detail:
    """Finds the edits and the noise of the pairs of one change, as long as a budget lasts."""

    def __init__(self) -> None:
        """Look at nothing as yet."""
        self._noise = _NOISE_BUDGET
        self._edits = _EDITS_BUDGET

    def noise(self, old: str, new: str) -> str:
        """Return what alone differs, as ``noise_of``; empty if the budget is spent."""
        if self._noise <= 0:
            return ""
        self._noise -= min(len(old), MAX_LENGTH) + min(len(new), MAX_LENGTH)
        return noise_of(old, new)

    def edits(self, old: str, new: str) -> Edits:
        """Return the edits of words; if the budget is spent, one from the first to the last."""
        if self._edits <= 0:
            return [] if has_same_units(old, new) else [differing_part(old, new)]
        found = list(text_edits(old, new))
        self._edits -= len(found)
        merged = merge_close_edits(old, found) if len(found) > 1 else found
        return [edit[:4] for edit in merged]
