"""The calls and tokens that a manager may use on a day."""

from dataclasses import dataclass, replace

from schemas.records.judgements import ModelUse

DAY_MS = 24 * 3600 * 1000


@dataclass(frozen=True, slots=True)
class ModelLimits:
    """The calls and tokens of a manager on a day (UTC)."""

    calls: int
    tokens: int


class ModelBudgets:
    """Counts what managers use, for the partitions of a worker.

    Each partition has its share of the limits, so that all workers together keep to them; those
    of a worker share theirs.
    """

    def __init__(self, limits: ModelLimits, partitions: int) -> None:
        """Each topic has ``partitions``."""
        self._limits = limits
        self._partitions = partitions
        self._uses: dict[int, dict[str, ModelUse]] = {}

    def load(self, partition: int, uses: dict[str, ModelUse]) -> None:
        """Load what was used in a partition, by manager."""
        self._uses[partition] = uses

    def released(self) -> None:
        """Forget all partitions."""
        self._uses.clear()

    def refusal(self, manager: str, at: int) -> str:
        """Return why a manager may not ask ``at`` a time (epoch ms), empty if it may."""
        uses = [_of_day(each.get(manager), at) for each in self._uses.values()]
        if sum(each.calls for each in uses) >= self._share(self._limits.calls):
            return "the calls of the day are used up (VOKTER_MODEL_CALLS)"
        if sum(each.tokens for each in uses) >= self._share(self._limits.tokens):
            return "the tokens of the day are used up (VOKTER_MODEL_TOKENS)"
        return ""

    def count(self, partition: int, manager: str, at: int, *, calls: int, tokens: int) -> ModelUse:
        """Count what was used ``at`` a time (epoch ms), and return the row of the manager."""
        before = _of_day(self._uses[partition].get(manager), at)
        after = replace(before, calls=before.calls + calls, tokens=before.tokens + tokens)
        self._uses[partition][manager] = after
        return after

    def used(self, at: int) -> dict[str, ModelUse]:
        """Return what each manager has used on the day of a time (epoch ms)."""
        found: dict[str, ModelUse] = {}
        for manager, use in (pair for uses in self._uses.values() for pair in uses.items()):
            own, all_of_it = _of_day(use, at), _of_day(found.get(manager), at)
            calls, tokens = own.calls + all_of_it.calls, own.tokens + all_of_it.tokens
            found[manager] = replace(own, calls=calls, tokens=tokens)
        return found

    def _share(self, limit: int) -> int:
        return -(-limit * len(self._uses) // self._partitions)


def _of_day(use: ModelUse | None, at: int) -> ModelUse:
    day = at // DAY_MS
    return use if use is not None and use.day == day else ModelUse(day)
