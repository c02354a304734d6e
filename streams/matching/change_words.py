"""The sentences of one change and their words, found once for all subscriptions."""

from collections.abc import Sequence
from itertools import filterfalse

from schemas.records.changes import Region, Texts
from schemas.records.subscriptions import Subscription
from streams.matching.cards import Cards
from streams.matching.sentences import ChangedSentences
from streams.matching.stretches import (
    BLOCK,
    SENTENCE,
    Stretch,
    block_stretches,
    document_stretches,
    reach_of,
    sentence_stretches,
)
from streams.matching.word_search import WordSearch
from streams.text.keywords import compile_keyword
from streams.text.tokens import split_words
from streams.text.word_forms import WordForm, normal_forms, other_forms
from streams.text.word_parts import is_part

MAX_KNOWN = 100_000
"""Words of a form that are remembered."""
MAX_FORMS = 16
"""Forms, such as stems of a language, in which words are remembered."""


class KnownForms:
    """Remembers normal forms of words: changes of one page have most of their words in common.

    >>> forms = KnownForms()
    >>> sorted(forms.of({"Giants", "eyes"}, WordForm("en", stemming=True, ignore_case=True)))
    ['eye', 'giant']
    """

    def __init__(self) -> None:
        self._known: dict[WordForm, tuple[dict[str, str], dict[str, tuple[str, ...]]]] = {}

    def of(self, words: set[str], form: WordForm) -> set[str]:
        """Return the forms by which words are found."""
        if form not in self._known and len(self._known) >= MAX_FORMS:
            self._known.clear()
        known, others = self._known.setdefault(form, ({}, {}))
        missing = [*filterfalse(known.__contains__, words)]
        if len(known) + len(missing) > MAX_KNOWN:
            known.clear()
            others.clear()
            missing = list(words)
        if missing:
            known.update(zip(missing, normal_forms(missing, form), strict=True))
            others.update(other_forms(missing, form))
        found = set(map(known.__getitem__, words))
        return found.union(*(others[word] for word in others.keys() & words))


class ChangeWords:
    """The changed sentences, and one search for each reach that a subscription wants."""

    def __init__(
        self, regions: Sequence[Region], language: str, texts: Texts | None = None
    ) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self.sentences = ChangedSentences(regions)
        self.cards = Cards()
        self._texts = texts
        self._searches: dict[str, WordSearch] = {}

    def form(self, stemming: bool, ignore_case: bool) -> WordForm:
        """Return how words of this change's language are compared with these options."""
        return WordForm(self.language, stemming, ignore_case)

    def search(self, reach: str) -> WordSearch:
        """Return the search for words up to so far from what changed."""
        if reach not in self._searches:
            sentences, count = self.sentences, len(self.sentences)
            if reach == SENTENCE:
                search = WordSearch(sentence_stretches(sentences, self.cards), self.language, count)
            else:
                stretches, units = self._wider(reach)
                search = WordSearch(stretches, self.language, count, units)
            self._searches[reach] = search
        return self._searches[reach]

    def different(self, reach: str) -> set[str]:
        """Return the different words up to so far from what changed."""
        sentences = self.sentences
        stretches = (
            sentence_stretches(sentences, self.cards)
            if reach == SENTENCE
            else self._wider(reach)[0]
        )
        return {
            word for each in stretches for word in split_words(each.text[each.start : each.end])
        }

    def _wider(self, reach: str) -> tuple[list[Stretch], list[int]]:
        if reach == BLOCK:
            return block_stretches(self.sentences)
        return document_stretches(self.sentences, self._texts)


def may_concern(words: ChangeWords, subscription: Subscription, forms: KnownForms) -> bool:
    """Return whether a change has all whole words of one of a subscription's keywords.

    If not, none of its sentences concerns the subscription; the matcher knows the rest.
    """
    options = subscription.options
    form = words.form(options.enable_stemming, options.ignore_case)
    filtering = options.filter_stopwords
    queries = [compile_keyword(each, form, filtering) for each in subscription.keywords]
    if any(query.matches_anything for query in queries):
        return True
    found = forms.of(words.different(reach_of(options.scope)), form)
    return any(
        bool(query.phrases)
        and found.issuperset(
            word for phrase in query.phrases for word in phrase if not is_part(word)
        )
        for query in queries
    )
