"""Matches the changed sentences of a document with subscriptions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import groupby
from operator import or_
from typing import NamedTuple

from schemas.codec.body import fitting
from schemas.records.changes import Diff, Region, Span, Texts
from schemas.records.numbers import NumberPoint
from schemas.records.subscriptions import Options, Subscription
from streams.matching.change_words import ChangeWords
from streams.matching.conditions import NumberSeries
from streams.matching.edits import EditedSentences
from streams.matching.entries import Entries, Entry, adjoins
from streams.matching.marks import WordPlaces
from streams.matching.record_labels import values_of_records
from streams.matching.sentence_set import SentenceSet
from streams.matching.sentences import ADDED, MOVED, REMOVED
from streams.matching.stretches import SENTENCE, reach_of
from streams.text.keywords import KeywordQuery, compile_keyword
from streams.values.steps import Steps, completed

MAX_KEYWORDS = 10_000
"""Keywords whose sentences are cached for other subscriptions."""
STEP = 5_000
"""Words of the change, times keywords that are looked for, after which there is a stop."""
_STEP = 100
"""Fields of records that are looked at in one step."""
CHANGE = "change"
"""The scope in which the changed words alone count."""


class _Found(NamedTuple):
    """The sentences that concern a keyword; ``is_part``: there may be more of them."""

    query: KeywordQuery
    sentences: SentenceSet
    is_part: bool = False


class Matcher:
    """Matches one change with subscriptions; each keyword is looked for once for all of them.

    matcher = Matcher(changed_regions("The giant sleeps.", "The giant wakes."), "en")
    diffs, truncated = matcher.diffs(subscription)  # with the keyword "wakes"
    diffs[0].event, diffs[0].text                   # "added", "wakes"
    """

    def __init__(
        self,
        regions: Sequence[Region],
        language: str,
        *,
        page: str = "",
        texts: Texts | None = None,
        numbers: Sequence[NumberPoint] = (),
    ) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``; ``page``: its URL, for links.

        ``texts`` are the two snapshots, for subscriptions with the scope ``document``.
        ``numbers`` is the series of the number that the document is read for.
        """
        self.numbers = NumberSeries(numbers)
        self.words = ChangeWords(regions, language, texts)
        self._all = SentenceSet.of_first(len(self.words.sentences))
        self._edited = EditedSentences(self.words)
        self._entries = Entries(self.words, page)
        # By the options that a keyword's meaning depends on, then by keyword.
        self._found: defaultdict[tuple[object, ...], dict[str, _Found]] = defaultdict(dict)

    @cached_property
    def _added(self) -> SentenceSet:
        return SentenceSet.of_those(self.words.sentences, lambda each: each.event == ADDED)

    @cached_property
    def _removed(self) -> SentenceSet:
        return SentenceSet.of_those(self.words.sentences, lambda each: each.event == REMOVED)

    @cached_property
    def _dropped(self) -> SentenceSet:
        return SentenceSet.of_those(self.words.sentences, lambda each: each.edit.dropped)

    @cached_property
    def _moved(self) -> SentenceSet:
        return SentenceSet.of_those(self.words.sentences, lambda each: each.change == MOVED)

    @cached_property
    def _records(self) -> dict[int, Span]:
        return values_of_records(self.words.sentences)

    def prepare(self, subscriptions: Iterable[Subscription]) -> Steps[None]:
        """Look at the words of the change in steps, as these subscriptions compare words."""
        options = {
            (each.enable_stemming, each.ignore_case, each.filter_stopwords, reach_of(each.scope))
            for each in (subscription.options for subscription in subscriptions)
        }
        for reach in sorted({SENTENCE, *(reach for *_, reach in options)}):
            those = [each for each in options if reach in (SENTENCE, each[3])]
            forms = sorted({self.words.form(stemming, case) for stemming, case, *_ in those})
            yield from self.words.search(reach).prepare(forms)
            if any(filtering for _, _, filtering, _ in those):
                yield from self.words.search(reach).prepare_filtered()

    def concerns(self, subscription: Subscription) -> bool:
        """Whether there is a sentence to notify the subscription of."""
        return bool(completed(self.concerning(subscription)))

    def concerning(self, subscription: Subscription) -> Steps[tuple[str, ...]]:
        """Return the keywords with a sentence to notify the subscription of, in steps."""
        keywords = yield from self._keywords(subscription)
        wanted = self._wanted(subscription)
        return tuple(each.query.keyword for each in keywords if each.sentences.overlaps(wanted))

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Return what to notify a subscription of, and whether diffs may have been left out.

        They are in document order, removed before added, and in the order of the
        subscription's keywords. Those with which the body would exceed MAX_BODY are left
        out, and those of words that were not looked at.
        """
        return completed(self.diff_steps(subscription))

    def diff_steps(self, subscription: Subscription) -> Steps[tuple[tuple[Diff, ...], bool]]:
        """Do the same as ``diffs``, with a stop after so many words that keywords look at."""
        keywords = yield from self._keywords(subscription)
        diffs, is_cut = fitting(subscription.document_url, self._all_diffs(subscription, keywords))
        search = self.words.search(reach_of(subscription.options.scope))
        is_part = search.truncated or any(each.is_part for each in keywords)
        return diffs, is_cut or is_part

    def _all_diffs(self, subscription: Subscription, keywords: Sequence[_Found]) -> Iterator[Diff]:
        """Yield the diffs of each edit: in the order of their texts in it, if it has two sides."""
        sentences, offset = self.words.sentences, subscription.options.snippet_offset
        wanted = self._wanted(subscription)
        concerning = reduce(or_, (each.sentences for each in keywords), SentenceSet()) & wanted
        theirs = [
            (each.query, each.sentences & wanted, set[int]())
            for each in keywords
            if each.sentences.overlaps(wanted)
        ]
        for _, numbers in groupby(concerning, key=lambda number: id(sentences[number].edit)):
            entries: list[Entry] = []
            for number in numbers:
                for query, found, known in theirs:
                    if number in found and number not in known:
                        several = self._adjacent(number, found)
                        known.update(several)
                        entries.append(self._entries.of(several, query, offset))
            yield from (each.diff for each in sorted(entries, key=lambda each: each.position))

    def _adjacent(self, number: int, found: SentenceSet) -> list[int]:
        """Return a sentence and those after it that are one entry with it."""
        sentences, several = self.words.sentences, [number]
        start, after = sentences[number].start, sentences.following(number)
        while after is not None and after in found:
            if not adjoins(sentences[several[-1]], sentences[after], start):
                break
            several.append(after)
            after = sentences.following(after)
        return several

    def _wanted(self, subscription: Subscription) -> SentenceSet:
        """Return the sentences that a subscription does not ignore."""
        wanted = self._all
        if subscription.options.ignore_added:
            wanted -= self._added
        if subscription.options.ignore_removed:
            wanted -= self._removed
        if not subscription.options.notify_moves:
            wanted -= self._moved
        if not subscription.options.notify_dropped:
            wanted -= self._dropped
        return wanted

    def _keywords(self, subscription: Subscription) -> Steps[list[_Found]]:
        options = subscription.options
        flags = options.enable_stemming, options.ignore_case, options.filter_stopwords
        known = self._found[(*flags, options.scope, options.ignore_noise)]
        search = self.words.search(reach_of(options.scope))
        keywords: list[_Found] = []
        looked_at = 0
        for keyword in subscription.keywords:
            found = known.get(keyword)
            if found is None:
                form = self.words.form(options.enable_stemming, options.ignore_case)
                query = compile_keyword(keyword, form, options.filter_stopwords)
                found = yield from self._find(query, options)
                if len(known) < MAX_KEYWORDS:
                    known[keyword] = found
                looked_at += 1 + len(search)
                if looked_at >= STEP:
                    looked_at = 0
                    yield
            keywords.append(found)
        return keywords

    def _find(self, query: KeywordQuery, options: Options) -> Steps[_Found]:
        """Find the sentences that concern a keyword, as a subscription looks for it."""
        is_part = False
        if query.matches_anything:
            found = self._all - self._edited.unchanged
        else:
            found, is_part = self._matching(query, options.scope)
            if not found:  # most keywords are in few changes
                return _Found(query, found, is_part)
            if options.scope == CHANGE:
                # What is among the changed words of both sides has neither come nor gone.
                found -= self._edited.on_both_sides(found & self._edited.all)
            elif found.overlaps(self._edited.all):
                found -= yield from self._edited.same_in(query.form, found)
            if found and reach_of(options.scope) == SENTENCE and self._records:
                found -= yield from self._in_label_alone(query, found)
        if options.ignore_noise:
            is_close = reach_of(options.scope) == SENTENCE
            found -= yield from self._edited.dropped_as_noise(query, found, is_close=is_close)
        return _Found(query, found, is_part)

    def _in_label_alone(self, query: KeywordQuery, found: SentenceSet) -> Steps[SentenceSet]:
        """Return those fields of records that have a keyword in their label, and not in the value.

        A keyword may have words in both.
        """
        alone: list[int] = []
        for count, number in enumerate(each for each in found if each in self._records):
            if count % _STEP == _STEP - 1:
                yield
            text, value = self.words.sentences[number].place.text, self._records[number]
            label = self.words.sentences[number].start, value.start
            places = (
                WordPlaces(text, bounds, query).of(query)
                for bounds in (label, (value.start, value.end))
            )
            if all(next(places)) and not any(next(places)):
                alone.append(number)
        return SentenceSet.of(alone)

    def _matching(self, query: KeywordQuery, scope: str) -> tuple[SentenceSet, bool]:
        """Return the sentences that have every phrase of a keyword; none if it has no phrase."""
        search, is_part = self.words.search(reach_of(scope)), False
        kind = {"filtered": query.filtered, "changed": scope == CHANGE}
        found = self._all - self._moved if query.phrases else SentenceSet()
        for phrase, signs in zip(query.phrases, query.signs, strict=True):
            # Of C++ the signs alone may have changed.
            of_words = {**kind, "changed": False} if signs else kind
            for word in phrase:
                found &= search.having_word(word, query.form, **of_words)
                if not found:
                    return found, is_part
        for phrase, signs in zip(query.phrases, query.signs, strict=True):
            if len(phrase) > 1 or signs:
                those, has_more = search.having_phrase(phrase, signs, query.form, **kind)
                found, is_part = found & those, is_part or has_more
        return found, is_part
