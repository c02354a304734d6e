"""Interests in a partition of percolate, once its words belong to several."""

from collections.abc import Iterator
from dataclasses import replace

from schemas.records.percolations import DropQuery, Interest, StoreQuery, TermFilter
from streams.matching.terms.terms import partition_of_term
from streams.repartition.growth import Growth


def divided_interest(interest: Interest, growth: Growth) -> Iterator[Interest]:
    """Yield the interest of each of the partitions made of a partition.

    With too many words to list, each asks for all its words, or for those in the same filter: some
    changes then concern nobody there, until the next change of its words.
    """
    everything = partition_of_term(None, interest.manager, growth.partitions)
    for child in growth.children(interest.partition):
        yield replace(
            interest,
            partition=child,
            terms=tuple(term for term in interest.terms if term % growth.partitions == child),
            everything=interest.everything and everything == child,
        )


def divided_filter(terms: TermFilter, growth: Growth) -> Iterator[TermFilter]:
    """Yield the filter of each of the partitions made of a partition: with all of their terms."""
    for child in growth.children(terms.partition):
        yield replace(terms, partition=child)


def divided_query(
    query: StoreQuery, partition: int, growth: Growth
) -> Iterator[tuple[int, StoreQuery | DropQuery]]:
    """Yield the query of a subscription in each of the partitions made of a partition.

    A replaced query is leaving where no word belongs: match may not have heard of the change yet.
    """
    everything = partition_of_term(None, query.subscription.manager, growth.partitions)
    for child in growth.children(partition):
        terms = tuple(term for term in query.terms if term % growth.partitions == child)
        is_everything = query.everything and everything == child
        is_here = bool(terms) or is_everything
        if is_here or query.since:
            leaving = query.leaving or not is_here
            part = replace(query, terms=terms, everything=is_everything, leaving=leaving)
            yield child, part
        else:
            yield child, DropQuery(query.subscription.id)
