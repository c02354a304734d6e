"""The terms of a change: its words in every form in which a subscription may compare them."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import islice

from streams.matching.change_words import ChangeWords
from streams.matching.spellings import PREFIXES
from streams.matching.stretches import BLOCK, SENTENCE
from streams.matching.terms.terms import term_hash
from streams.text.word_forms import normal_forms
from streams.values.steps import Steps

STEP = 2_000
"""Words of which the terms are computed in one step."""

Terms = Mapping[int, set[int]]
"""The terms of a change, by the partition of percolate to which they belong."""


def change_terms(words: ChangeWords, partitions: int, *, blocks: bool) -> Steps[Terms]:
    """Return the terms of the sentences that changed, or of their ``blocks``, in steps.

    A superset of the terms of all keywords that the change may concern.
    """
    search = words.search(BLOCK if blocks else SENTENCE)
    yield from search.prepare(())
    found = defaultdict[int, set[int]](set)
    left = iter(search.words)
    while several := list(islice(left, STEP)):
        for stemming, ignore_case in PREFIXES:
            form = words.form(stemming, ignore_case)
            for each in normal_forms(several, form):
                term = term_hash(each, form)
                found[term % partitions].add(term)
            yield
    return found
