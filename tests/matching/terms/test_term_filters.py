"""A filter of terms hides none of them, on its way through Kafka, too."""

from dataclasses import replace
from hashlib import sha256
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.percolations import MAX_FILTER_BYTES, MAX_FILTER_TERMS, TermFilter
from streams.matching.terms.term_filters import (
    ERRORS_PER_MILLION,
    MAX_FILTERED,
    STEP,
    closed,
    contains_any,
    copied,
    filled,
    filter_for,
    opened,
)
from streams.values.steps import completed

TERMS = st.frozensets(st.integers(0, 2**32 - 1), min_size=1, max_size=300)
MAX_MESSAGE_BYTES = 1_000_000
"""Kafka takes 1 MB, with what the producer adds to a message."""


def message(terms: frozenset[int]) -> TermFilter:
    return closed(completed(filled(filter_for(len(terms)), terms)), "anna", 3, made=7)


@given(TERMS)
def test_a_filter_has_each_of_its_terms_once_it_was_sent(terms: frozenset[int]) -> None:
    sent = wire.decode(wire.encode(message(terms)), TermFilter)
    assert (sent.manager, sent.partition, sent.made) == ("anna", 3, 7)
    known = opened(sent)
    assert known is not None
    assert all(completed(contains_any([each], known)) for each in terms)


@given(TERMS, TERMS)
def test_a_copy_with_more_terms_has_all_and_the_original_stays(
    terms: frozenset[int], more: frozenset[int]
) -> None:
    original = completed(filled(filter_for(600), terms))
    before = original.bitarray.copy()
    larger = completed(filled(copied(original), more - terms))
    assert all(each in larger for each in terms | more)
    assert len(larger) == len(terms | more)
    assert (len(original), original.bitarray) == (len(terms), before)


def test_of_other_terms_no_more_are_taken_for_its_own_than_it_says() -> None:
    chance = Random(4)  # noqa: S311 - to be repeated
    terms = frozenset(chance.getrandbits(32) for _ in range(20_000))
    known = completed(filled(filter_for(len(terms)), terms))
    others = [
        each for each in (chance.getrandbits(32) for _ in range(200_000)) if each not in terms
    ]
    wrong = sum(each in known for each in others)
    # With room for a tenth more there are about half as many; the seed is always the same.
    assert 0 < wrong / len(others) * 1_000_000 < ERRORS_PER_MILLION


def test_terms_are_hashed_as_the_scheme_says_in_each_version_of_the_library() -> None:
    """If this fails, ``SCHEME`` has to change: filters of before would hide terms."""
    terms = 0, 4711, 2**32 - 1
    assert message(frozenset(terms)).bits.hex() == "c3d6b2262f5ce03634"
    # In a large one the library has other hashes.
    large = completed(filled(filter_for(100_000), terms))
    assert sha256(large.bitarray.tobytes()).hexdigest()[:16] == "a47d1a392a859c67"


def test_a_filter_of_another_scheme_or_with_other_bits_than_it_says_is_not_read() -> None:
    good = message(frozenset(range(100)))
    assert opened(good) is not None
    assert opened(replace(good, scheme=good.scheme + 1)) is None
    assert opened(replace(good, bits=good.bits[:-1])) is None
    assert opened(replace(good, bits=good.bits + b"\0")) is None
    assert opened(replace(good, capacity=good.capacity * 2)) is None


def test_the_largest_filter_fits_into_a_message() -> None:
    largest = closed(filter_for(MAX_FILTERED), "m" * 256, 1_000, made=2**41)
    assert largest.capacity <= MAX_FILTER_TERMS
    assert len(largest.bits) <= MAX_FILTER_BYTES
    data = wire.encode(largest)
    assert len(data) < MAX_MESSAGE_BYTES
    assert wire.decode(data, TermFilter) == largest


def test_terms_are_added_and_looked_up_in_steps() -> None:
    known = filter_for(10 * STEP)
    assert len(list(filled(known, range(10 * STEP)))) == 10
    absent = [each for each in range(-10 * STEP, 0) if each not in known]
    assert len(list(contains_any(absent, known))) == -(-len(absent) // STEP)
