"""The partitions made of a partition when partitions are added."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MAX_PARTITIONS = 1000


class NoGrowth(ValueError):
    """There cannot be so many partitions; the text says which counts are possible."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Partitions are added to ``former`` partitions; ``partition_of`` needs a key and a count.

    Example:
        >>> Growth(2, 6, lambda key, count: len(key) % count).children(1)
        (1, 3, 5)
    """

    former: int
    partitions: int
    partition_of: Callable[[str, int], int]

    def children(self, partition: int) -> Sequence[int]:
        """Return the partitions for the keys of a former partition."""
        if partition >= self.former:
            return (partition,)
        return tuple(range(partition, self.partitions, self.former))

    def place(self, partition: int, key: str) -> int:
        """Return the partition of a key; messages on a wrong partition stay there."""
        found = self.partition_of(key, self.partitions)
        return found if found in self.children(partition) else partition


def check_growth(former: int, partitions: int) -> None:
    """Raise NoGrowth unless partitions can be added to ``former`` ones.

    With a multiple, all keys of a partition come from the same partition, and keep their order.
    """
    if partitions > former and partitions % former == 0 and partitions <= MAX_PARTITIONS:
        return
    possible = [str(former * times) for times in (2, 3, 4) if former * times <= MAX_PARTITIONS]
    advice = f"for example {', '.join(possible)}" if possible else "and there is none"
    raise NoGrowth(
        f"Refused: {former} partitions cannot become {partitions}. The new number must be a "
        f"multiple of {former}, of {MAX_PARTITIONS} at most: {advice}."
    )
