"""Which passages of a change concern a subscription."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import or_

from schemas.body import fitting
from schemas.facts import Diff, Hunk, Subscription
from streams.core.matching.change_words import ADDED, REMOVED, ChangeWords
from streams.core.matching.passage_set import PassageSet
from streams.core.matching.snippets import excerpt, snippet
from streams.core.text.passage_words import PassageWords
from streams.core.text.queries import KeywordQuery, compile_keyword

MAX_DIFFS = 1_000
"""Diffs of a change that are cached for other subscriptions with the same keyword."""

_Found = tuple[KeywordQuery, PassageSet]


class Matcher:
    """Matches one change with subscriptions; each keyword is looked for once for all of them.

    matcher = Matcher(hunks("The giant sleeps.", "The giant wakes."), "en")
    diffs, truncated = matcher.diffs(subscription)  # with the keyword "wakes"
    diffs[0].event, diffs[0].text                   # "added", "wakes"
    """

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.words = ChangeWords(hunks, language)
        passages = self.words.passages
        self._all = PassageSet.of_first(len(passages))
        self._replaced = PassageSet.of(n for n, each in enumerate(passages) if each.is_replaced)
        self._added = PassageSet.of(n for n, each in enumerate(passages) if each.event == ADDED)
        self._removed = PassageSet.of(n for n, each in enumerate(passages) if each.event == REMOVED)
        # By the options that a keyword's meaning depends on, then by keyword.
        self._found: defaultdict[tuple[bool, ...], dict[str, _Found]] = defaultdict(dict)
        self._passage_words: dict[tuple[object, ...], PassageWords] = {}
        self._diffs: dict[tuple[object, ...], Diff] = {}

    def concerns(self, subscription: Subscription) -> bool:
        """Whether there is a passage to notify the subscription of."""
        wanted = self._wanted(subscription)
        return any(found.overlaps(wanted) for _, found in self._keywords(subscription))

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Return what to notify a subscription of, and whether diffs were left out.

        They are in document order, removed before added, and for each passage in the
        order of the subscription's keywords. Those with which the body would exceed
        MAX_BODY are left out.
        """
        return fitting(subscription.document_url, self._all_diffs(subscription))

    def _all_diffs(self, subscription: Subscription) -> Iterator[Diff]:
        keywords = self._keywords(subscription)
        offset = subscription.options.snippet_offset
        concerning = reduce(or_, (found for _, found in keywords), PassageSet())
        for number in concerning & self._wanted(subscription):
            for query, found in keywords:
                if number in found:
                    yield self._diff(number, query, offset)

    def _wanted(self, subscription: Subscription) -> PassageSet:
        """Return the passages that a subscription does not ignore."""
        wanted = self._all
        if subscription.options.ignore_added:
            wanted -= self._added
        if subscription.options.ignore_removed:
            wanted -= self._removed
        return wanted

    def _keywords(self, subscription: Subscription) -> list[_Found]:
        """Return each keyword of a subscription, compiled, with the passages that it concerns."""
        options = subscription.options
        flags = options.enable_stemming, options.ignore_case, options.filter_stopwords
        known = self._found[flags]
        for keyword in subscription.keywords:
            if keyword not in known:
                form = self.words.form(options.enable_stemming, options.ignore_case)
                query = compile_keyword(keyword, form, options.filter_stopwords)
                known[keyword] = query, self._concerned(query)
        return [known[keyword] for keyword in subscription.keywords]

    def _concerned(self, query: KeywordQuery) -> PassageSet:
        """Return the passages with which the keyword has come or gone.

        What is on both sides of a replacement has done neither.
        """
        if query.matches_anything:
            return self._all
        matching = self._matching(query)
        if not matching:
            return matching
        before = matching & self._replaced & matching.preceding()
        return matching - before - before.following()

    def _matching(self, query: KeywordQuery) -> PassageSet:
        """Return the passages that have every phrase of a keyword; none if it has no phrase."""
        if not query.phrases:
            return PassageSet()
        words = chain.from_iterable(query.phrases)
        candidates = self.words.passages_with(words, query.form, filtered=query.filtered)
        if max(map(len, query.phrases)) == 1:
            return candidates
        # Only words that must be adjacent are looked for in the text itself.
        return PassageSet.of(n for n in candidates if self._words_of(n, query).match(query))

    def _diff(self, number: int, query: KeywordQuery, offset: int) -> Diff:
        key = number, query.keyword, query.form, query.filtered, offset
        known = self._diffs.get(key)
        if known is None:
            known = self._new_diff(number, query, offset)
            if len(self._diffs) < MAX_DIFFS:
                self._diffs[key] = known
        return known

    def _new_diff(self, number: int, query: KeywordQuery, offset: int) -> Diff:
        event, passage, _ = self.words.passages[number]
        start, end = excerpt(passage.text, self._words_of(number, query).span_of(query))
        text = passage.text[start:end]
        return Diff(event, query.keyword, text, snippet(passage, start, end, offset))

    def _words_of(self, number: int, query: KeywordQuery) -> PassageWords:
        """Return the words of a passage as a keyword compares them."""
        key = number, query.form, query.filtered
        if key not in self._passage_words:
            text = self.words.passages[number].passage.text
            self._passage_words[key] = PassageWords(text, query.form, filtered=query.filtered)
        return self._passage_words[key]
