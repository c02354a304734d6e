"""Interests in a partition of percolate, once its words belong to several."""

from collections.abc import Iterator
from dataclasses import replace

from schemas.records.percolations import DropQuery, Interest, StoreQuery, TermFilter
from streams.matching.terms.terms import partition_of_term
from streams.repartition.growth import Growth


def divided_interest(interest: Interest, growth: Growth) -> Iterator[Interest]:
    """Yield what each of the partitions asks for that come of one.

    Where there were too many words to list, each asks for all that belong to it, or for those in
    the same filter: it gets changes that concern nobody there, and says more exactly what it
    wants when that changes.
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
    """Yield the filter of each of the partitions that come of one: it has all of their terms."""
    for child in growth.children(terms.partition):
        yield replace(terms, partition=child)


def divided_query(
    query: StoreQuery, partition: int, growth: Growth
) -> Iterator[tuple[int, StoreQuery | DropQuery]]:
    """Yield what each of the partitions stores of a subscription that come of one.

    One that was replaced is leaving where it has no word: match may not have heard of that yet.
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
