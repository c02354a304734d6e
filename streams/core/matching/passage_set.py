"""Sets of a change's passages, by their numbers."""

from collections.abc import Iterable, Iterator


class PassageSet:
    """An immutable set of passage numbers, kept as the bits of one number.

    A change can have 100,000 passages, and its sets are intersected for each keyword of
    each subscription: as bits that is one operation.

        replaced, found = PassageSet.of([0, 2]), PassageSet.of([0, 1, 3])
        list(found & replaced)      # [0]
        list(found - replaced)      # [1, 3]
        list(replaced.following())  # [1, 3]
    """

    __slots__ = ("bits",)

    def __init__(self, bits: int = 0) -> None:
        """Bit n of ``bits`` says whether passage n is in the set."""
        self.bits = bits

    @classmethod
    def of(cls, numbers: Iterable[int]) -> "PassageSet":
        """Build a set of these different numbers."""
        return cls(sum(1 << number for number in numbers))

    @classmethod
    def of_first(cls, count: int) -> "PassageSet":
        """Build the set of the numbers from 0 to ``count - 1``."""
        return cls((1 << count) - 1)

    def __and__(self, other: "PassageSet") -> "PassageSet":
        return PassageSet(self.bits & other.bits)

    def __or__(self, other: "PassageSet") -> "PassageSet":
        return PassageSet(self.bits | other.bits)

    def __sub__(self, other: "PassageSet") -> "PassageSet":
        return PassageSet(self.bits & ~other.bits)

    def __bool__(self) -> bool:
        return self.bits != 0

    def __contains__(self, number: int) -> bool:
        return self.bits >> number & 1 == 1

    def __iter__(self) -> Iterator[int]:
        """Iterate in document order."""
        bits = self.bits
        while bits:
            lowest = bits & -bits
            yield lowest.bit_length() - 1
            bits ^= lowest

    def overlaps(self, other: "PassageSet") -> bool:
        """Whether there is a passage that is in both sets."""
        return self.bits & other.bits != 0

    def following(self) -> "PassageSet":
        """Return the passages that come right after one of these."""
        return PassageSet(self.bits << 1)

    def preceding(self) -> "PassageSet":
        """Return the passages that come right before one of these."""
        return PassageSet(self.bits >> 1)
