"""Which passages of a change concern a subscription."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from schemas.body import fitting
from schemas.changes import Diff, Hunk
from schemas.subscriptions import Subscription
from streams.core.matching.change_words import ADDED, REMOVED, ChangeWords
from streams.core.matching.passage_set import PassageSet
from streams.core.matching.snippets import MAX_TEXT, excerpt, snippet
from streams.core.steps import Steps, completed
from streams.core.text.queries import KeywordQuery, compile_keyword

MAX_DIFFS = 1_000
"""Diffs of a change that are cached for other subscriptions with the same keyword."""

MAX_KEYWORDS = 10_000
"""Keywords whose passages are cached for other subscriptions."""


class _Found(NamedTuple):
    """The passages that concern a keyword; ``is_part``: there may be more of them."""

    query: KeywordQuery
    passages: PassageSet
    is_part: bool = False


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
        self._diffs: dict[tuple[object, ...], Diff] = {}

    def prepare(self, subscriptions: Iterable[Subscription]) -> Steps[None]:
        """Look at the words of the change in steps, as these subscriptions compare words."""
        options = {
            (each.enable_stemming, each.ignore_case, each.filter_stopwords)
            for each in (subscription.options for subscription in subscriptions)
        }
        forms = sorted({self.words.form(stemming, case) for stemming, case, _ in options})
        yield from self.words.prepare(forms)
        if any(filtering for _, _, filtering in options):
            yield from self.words.prepare_filtered()

    def concerns(self, subscription: Subscription) -> bool:
        """Whether there is a passage to notify the subscription of."""
        wanted = self._wanted(subscription)
        return any(
            each.passages.overlaps(wanted) for each in completed(self._keywords(subscription))
        )

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Return what to notify a subscription of, and whether diffs may have been left out.

        They are in document order, removed before added, and for each passage in the
        order of the subscription's keywords. Those with which the body would exceed
        MAX_BODY are left out, and those of words that were not looked at.
        """
        return completed(self.diff_steps(subscription))

    def diff_steps(self, subscription: Subscription) -> Steps[tuple[tuple[Diff, ...], bool]]:
        """Do the same as ``diffs``, with a stop after each keyword."""
        keywords = yield from self._keywords(subscription)
        diffs, is_cut = fitting(subscription.document_url, self._all_diffs(subscription, keywords))
        is_part = self.words.truncated or any(each.is_part for each in keywords)
        return diffs, is_cut or is_part

    def _all_diffs(self, subscription: Subscription, keywords: Sequence[_Found]) -> Iterator[Diff]:
        offset = subscription.options.snippet_offset
        concerning = reduce(or_, (each.passages for each in keywords), PassageSet())
        for number in concerning & self._wanted(subscription):
            for query, found, _ in keywords:
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

    def _keywords(self, subscription: Subscription) -> Steps[list[_Found]]:
        """Return each keyword of a subscription, compiled, with the passages that it concerns."""
        options = subscription.options
        flags = options.enable_stemming, options.ignore_case, options.filter_stopwords
        known = self._found[flags]
        keywords: list[_Found] = []
        for keyword in subscription.keywords:
            found = known.get(keyword)
            if found is None:
                form = self.words.form(options.enable_stemming, options.ignore_case)
                found = self._find(compile_keyword(keyword, form, options.filter_stopwords))
                if len(known) < MAX_KEYWORDS:
                    known[keyword] = found
                yield
            keywords.append(found)
        return keywords

    def _find(self, query: KeywordQuery) -> _Found:
        """Find the passages with which the keyword has come or gone.

        What is on both sides of a replacement has done neither.
        """
        if query.matches_anything:
            return _Found(query, self._all)
        matching, is_part = self._matching(query)
        if matching:
            before = matching & self._replaced & matching.preceding()
            matching = matching - before - before.following()
        return _Found(query, matching, is_part)

    def _matching(self, query: KeywordQuery) -> tuple[PassageSet, bool]:
        """Return the passages that have every phrase of a keyword; none if it has no phrase."""
        words, filtered, is_part = self.words, query.filtered, False
        found = self._all if query.phrases else PassageSet()
        for phrase in query.phrases:
            for word in phrase:
                found &= words.passages_with(word, query.form, filtered=filtered)
                if not found:
                    return found, is_part
        for phrase in query.phrases:
            if len(phrase) > 1:
                those, has_more = words.passages_with_phrase(phrase, query.form, filtered=filtered)
                found, is_part = found & those, is_part or has_more
        return found, is_part

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
        # A short passage is shown whole, wherever the keyword is.
        is_long = len(passage.text) > MAX_TEXT and not query.matches_anything
        span = self.words.span(number, query) if is_long else (0, 0)
        start, end = excerpt(passage.text, span)
        text = passage.text[start:end]
        return Diff(event, query.keyword, text, snippet(passage, start, end, offset))
