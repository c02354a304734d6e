"""Which passages of a change concern a subscription."""

from collections.abc import Iterator, Sequence

from schemas.body import fitting
from schemas.facts import Diff, Hunk, Passage, Subscription
from streams.core.occurrences import Words
from streams.core.queries import Query, query
from streams.core.snippets import excerpt, snippet
from streams.core.words import Form

ADDED = "added"
REMOVED = "removed"


class Matcher:
    """One change, whose words are found once for all subscriptions that see them alike."""

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self._hunks = hunks
        self._language = language
        self._words: dict[tuple[int, Form, bool], Words] = {}

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Give what a subscription is told, and whether diffs were left out.

        In document order, removed before added, keywords in the order given. Diffs
        are left out from where the body would become larger than MAX_BODY.
        """
        return fitting(subscription.document_url, self._found(subscription))

    def _found(self, told: Subscription) -> Iterator[Diff]:
        form = Form(self._language, told.enable_stemming, told.ignore_case)
        queries = [query(keyword, form, told.filter_stopwords) for keyword in told.keywords]
        for event, passage, other in self._sides(told):
            for each in queries:
                if self._reported(each, passage, other, form):
                    yield self._diff(event, each, passage, form, told.snippet_offset)

    def _sides(self, told: Subscription) -> Iterator[tuple[str, Passage, Passage | None]]:
        for hunk in self._hunks:
            if hunk.removed is not None and not told.ignore_removed:
                yield REMOVED, hunk.removed, hunk.added
            if hunk.added is not None and not told.ignore_added:
                yield ADDED, hunk.added, hunk.removed

    def _reported(self, wanted: Query, passage: Passage, other: Passage | None, form: Form) -> bool:
        """A keyword on both sides of a hunk has neither come nor gone."""
        if wanted.anything:
            return True
        if not self._view(passage, form, wanted).match(wanted):
            return False
        return other is None or not self._view(other, form, wanted).match(wanted)

    def _diff(self, event: str, wanted: Query, passage: Passage, form: Form, offset: int) -> Diff:
        around = self._view(passage, form, wanted).around(wanted)
        start, end = excerpt(passage.text, around)
        text = passage.text[start:end]
        return Diff(event, wanted.keyword, text, snippet(passage, start, end, offset))

    def _view(self, passage: Passage, form: Form, wanted: Query) -> Words:
        # The hunks, and with them their passages' identities, live as long as this does.
        key = id(passage), form, wanted.filtered
        if key not in self._words:
            self._words[key] = Words(passage.text, form, wanted.filtered)
        return self._words[key]
