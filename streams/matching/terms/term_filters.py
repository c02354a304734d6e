"""Bloom filters of terms, which percolate makes and match asks, as pybloom-live computes them."""

from collections.abc import Iterable
from itertools import islice

from pybloom_live import BloomFilter

from schemas.records.percolations import MAX_FILTER_TERMS, TermFilter
from streams.values.steps import Steps

SCHEME = 1
"""Changes whenever pybloom-live, or how it is called, sets other bits for a term than before."""
ERRORS_PER_MILLION = 100
"""Terms, of a million that are not in a filter, that it takes for its own.

A change of 200 words has 800 terms, some 100 in each of 8 partitions: so to a partition that it
does not concern, one change in a hundred is sent. It takes 19 bits a term.
"""
MAX_FILTERED = MAX_FILTER_TERMS * 10 // 11
"""Terms of which a filter is made: it has room for a tenth more."""
STEP = 1_000
"""Terms that are added or looked up in one step: about 4 ms."""


def filter_for(terms: int) -> BloomFilter:
    """Return an empty filter with room for so many terms, and for a tenth more."""
    return BloomFilter(terms * 11 // 10, ERRORS_PER_MILLION / 1_000_000)


def copied(known: BloomFilter) -> BloomFilter:
    """Return another filter of the same terms."""
    found = known.copy()
    found.count = known.count  # which copy() leaves at 0
    return found


def filled(known: BloomFilter, terms: Iterable[int]) -> Steps[BloomFilter]:
    """Return a filter once these terms have been added to it, none of which it has."""
    left = iter(terms)
    while several := tuple(islice(left, STEP)):
        for term in several:
            known.add(term, skip_check=True)
        yield
    return known


def contains_any(terms: Iterable[int], known: BloomFilter) -> Steps[bool]:
    """Return whether a filter has one of these terms, or takes it for one."""
    left = iter(terms)
    while several := tuple(islice(left, STEP)):
        if any(term in known for term in several):
            return True
        yield
    return False


def closed(known: BloomFilter, manager: str, partition: int, made: int) -> TermFilter:
    """Return the message that has a filter."""
    return TermFilter(
        manager=manager,
        partition=partition,
        made=made,
        scheme=SCHEME,
        capacity=known.capacity,
        errors_per_million=round(known.error_rate * 1_000_000),
        bits=known.bitarray.tobytes(),
    )


def opened(message: TermFilter) -> BloomFilter | None:
    """Return the filter of a message; None if its bits have another scheme, or are incomplete.

    >>> from streams.values.steps import completed
    >>> known = completed(filled(filter_for(1), [4711]))
    >>> 4711 in opened(closed(known, "anna", 0, made=0))
    True
    """
    if message.scheme != SCHEME:
        return None
    found = BloomFilter(message.capacity, message.errors_per_million / 1_000_000)
    if len(message.bits) != len(found.bitarray.tobytes()):
        return None
    found.bitarray.clear()
    found.bitarray.frombytes(message.bits)
    return found
