"""By which words changes come to a subscription for several pages, in whichever language.

A subscription is in the partitions of all its terms. Of a change it is notified in one of them
alone: that of the first keyword that the change concerns.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import chain, islice
from zlib import crc32

from stopwordsiso import langs

from schemas.records.percolations import StoreQuery
from schemas.records.subscriptions import Options, Subscription
from streams.matching.change_words import ChangeWords
from streams.matching.spellings import PREFIXES
from streams.matching.stretches import BLOCK, SENTENCE
from streams.text.inner_words import TURKISH
from streams.text.keywords import ANY_CHANGE, keyword_words
from streams.text.language import UNDETERMINED
from streams.text.stemming import ALGORITHMS, has_stemmer
from streams.text.word_forms import (
    WordForm,
    is_stopword_anywhere,
    normal_form,
    normal_forms,
    other_forms,
)
from streams.values.steps import Steps

_CASES = UNDETERMINED, TURKISH
"""Languages that stand for all in which words are compared as they are written."""
_LANGUAGES = tuple(sorted({*_CASES, *ALGORITHMS, *langs()}))

STEP = 2_000
"""Words of which the terms are computed in one step."""

Terms = Mapping[int, set[int]]
"""The terms of a change, by the partition of percolate to which they belong."""


def term_hash(text: str, form: WordForm) -> int:
    """Return the hash of a word in normal form; the same in all processes."""
    written = PREFIXES[form.stemming, form.ignore_case] + text
    return crc32(written.encode("utf-8", "surrogatepass"))


def partition_of_term(term: int | None, manager: str, partitions: int) -> int:
    """Return the partition of a term; without one, of what every change of a manager comes to."""
    if term is None:
        term = crc32(f"*\0{manager}".encode("utf-8", "surrogatepass"))
    return term % partitions


def term_of(keyword: str, options: Options, language: str) -> int | None:
    """Return the term that all changes have which concern a keyword; None if there is no such word.

    ``language`` is that of the document, as a ``Matcher`` gets it.

    >>> options = Options(enable_stemming=True, ignore_case=True)
    >>> term_of("Giants", options, "en") == term_of("giant", options, "en")
    True
    """
    word = _chosen_word(keyword, filtering=options.filter_stopwords)
    if word is None:
        return None
    form = WordForm(language, options.enable_stemming, options.ignore_case)
    return term_hash(normal_form(word, form), form)


def placed(
    subscription: Subscription, partitions: int, language: Callable[[str], str] = str
) -> dict[int, StoreQuery]:
    """Return what each partition of a subscription's terms stores.

    ``language`` returns the language of a code, with a plugged-in stemmer if it has one.
    """
    terms: defaultdict[int, set[int]] = defaultdict(set)
    everything = set[int]()
    for term in _terms(subscription, language):
        partition = partition_of_term(term, subscription.manager, partitions)
        if term is None:
            everything.add(partition)
        else:
            terms[partition].add(term)
    return {
        each: StoreQuery(subscription, tuple(sorted(terms[each])), each in everything)
        for each in sorted({*terms, *everything})
    }


def _terms(subscription: Subscription, language: Callable[[str], str]) -> set[int | None]:
    """Return the terms of all keywords, in all languages in which they may differ.

    A request is decided in one step: so all words are stemmed at once, language by language.
    """
    options = subscription.options
    filtering = options.filter_stopwords
    chosen = {_chosen_word(each, filtering=filtering) for each in subscription.keywords}
    words = [each for each in chosen if each is not None]
    found: set[int | None] = {None} if None in chosen else set()
    codes = _LANGUAGES if options.enable_stemming else _CASES
    known = map(language, codes)
    for each in {each if has_stemmer(each) else UNDETERMINED for each in known}:
        form = WordForm(each, options.enable_stemming, options.ignore_case)
        found.update(term_hash(normal, form) for normal in normal_forms(words, form))
    return found


@lru_cache(maxsize=100_000)
def _chosen_word(keyword: str, *, filtering: bool) -> str | None:
    """Return the longest word, which is likely to be the rarest; no stop word if they are filtered.

    What is a stop word depends on the document's language, so it is one in none.
    """
    if keyword == ANY_CHANGE:
        return None
    words = sorted(set(keyword_words(keyword)), key=lambda word: (len(word), word), reverse=True)
    return next((word for word in words if not (filtering and is_stopword_anywhere(word))), None)


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
            others = chain.from_iterable(other_forms(several, form).values())
            for each in chain(normal_forms(several, form), others):
                term = term_hash(each, form)
                found[term % partitions].add(term)
            yield
    return found
