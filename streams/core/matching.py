"""Which passages of a change concern a subscription."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from schemas.body import fitting
from schemas.facts import Diff, Hunk, Passage, Subscription
from streams.core.occurrences import Words
from streams.core.queries import Query, query
from streams.core.snippets import excerpt, snippet
from streams.core.tokens import WORD
from streams.core.words import Form, is_stopword, normal

ADDED = "added"
REMOVED = "removed"


class Matcher:
    """One change, whose words are found once for all subscriptions that see them alike."""

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self._hunks = hunks
        self._language = language
        self._words: dict[tuple[int, Form, bool], Words] = {}
        self._having: dict[tuple[Form, bool], dict[str, set[int]]] = {}

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Give what a subscription is told, and whether diffs were left out.

        In document order, removed before added, keywords in the order given. Diffs
        are left out from where the body would become larger than MAX_BODY.
        """
        return fitting(subscription.document_url, self._found(subscription))

    def _found(self, told: Subscription) -> Iterator[Diff]:
        form = Form(self._language, told.enable_stemming, told.ignore_case)
        queries = [query(keyword, form, told.filter_stopwords) for keyword in told.keywords]
        for event, passage, other in self._sides(told, self._where(queries, form)):
            for each in queries:
                if self._reported(each, passage, other, form):
                    yield self._diff(event, each, passage, form, told.snippet_offset)

    def _sides(
        self, told: Subscription, where: Iterable[int]
    ) -> Iterator[tuple[str, Passage, Passage | None]]:
        for hunk in map(self._hunks.__getitem__, where):
            if hunk.removed is not None and not told.ignore_removed:
                yield REMOVED, hunk.removed, hunk.added
            if hunk.added is not None and not told.ignore_added:
                yield ADDED, hunk.added, hunk.removed

    def _where(self, queries: Iterable[Query], form: Form) -> Iterable[int]:
        """Give the places of the hunks that have every word of some query, in order."""
        if any(each.anything for each in queries):
            return range(len(self._hunks))
        found: set[int] = set()
        for each in filter(lambda each: each.phrases, queries):
            having = self._by_normal(form, each.filtered)
            words = (word for phrase in each.phrases for word in phrase)
            found |= set.intersection(*(having.get(word, set()) for word in words))
        return sorted(found)

    def _by_normal(self, form: Form, filtered: bool) -> dict[str, set[int]]:
        """Give the places of the hunks that have a word, by its normal form."""
        key = form, filtered
        if key not in self._having:
            having = self._having[key] = defaultdict[str, set[int]](set)
            for word, places in self._by_word.items():
                if not (filtered and is_stopword(word, self._language)):
                    having[normal(word, form)] |= places
        return self._having[key]

    @cached_property
    def _by_word(self) -> dict[str, set[int]]:
        """The places of the hunks that have a word, as it is written."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, hunk in enumerate(self._hunks):
            for side in filter(None, (hunk.removed, hunk.added)):
                for word in WORD.findall(side.text):
                    found[word].add(place)
        return found

    def _reported(self, wanted: Query, passage: Passage, other: Passage | None, form: Form) -> bool:
        """A keyword on both sides of a hunk has neither come nor gone."""
        if wanted.anything:
            return True
        if not self._view(passage, form, wanted.filtered).match(wanted):
            return False
        return other is None or not self._view(other, form, wanted.filtered).match(wanted)

    def _diff(self, event: str, wanted: Query, passage: Passage, form: Form, offset: int) -> Diff:
        around = self._view(passage, form, wanted.filtered).around(wanted)
        start, end = excerpt(passage.text, around)
        text = passage.text[start:end]
        return Diff(event, wanted.keyword, text, snippet(passage, start, end, offset))

    def _view(self, passage: Passage, form: Form, filtered: bool) -> Words:
        # The hunks, and with them their passages' identities, live as long as this does.
        key = id(passage), form, filtered
        if key not in self._words:
            self._words[key] = Words(passage.text, form, filtered)
        return self._words[key]
