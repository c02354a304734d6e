"""The sentences of one change and their words, found once for all subscriptions."""

from collections.abc import Sequence

from schemas.records.changes import Region, Texts
from streams.matching.sentences import ChangedSentences
from streams.matching.stretches import (
    BLOCK,
    SENTENCE,
    Stretch,
    block_stretches,
    document_stretches,
    sentence_stretches,
)
from streams.matching.word_search import WordSearch
from streams.text.tokens import split_words
from streams.text.word_forms import WordForm


class ChangeWords:
    """What changed, as sentences, and one search for each reach that a subscription wants."""

    def __init__(
        self, regions: Sequence[Region], language: str, texts: Texts | None = None
    ) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self.sentences = ChangedSentences(regions)
        self._texts = texts
        self._searches: dict[str, WordSearch] = {}

    def form(self, stemming: bool, ignore_case: bool) -> WordForm:
        """Return how words of this change's language are compared with these options."""
        return WordForm(self.language, stemming, ignore_case)

    def search(self, reach: str) -> WordSearch:
        """Return the search for words up to so far from what changed."""
        if reach not in self._searches:
            self._searches[reach] = self._search(reach)
        return self._searches[reach]

    def different(self, reach: str) -> set[str]:
        """Return the different words up to so far from what changed."""
        sentences = self.sentences
        stretches = sentence_stretches(sentences) if reach == SENTENCE else self._wider(reach)[0]
        return {
            word for each in stretches for word in split_words(each.text[each.start : each.end])
        }

    def _search(self, reach: str) -> WordSearch:
        count = len(self.sentences)
        if reach == SENTENCE:
            return WordSearch(sentence_stretches(self.sentences), self.language, count)
        stretches, units = self._wider(reach)
        return WordSearch(stretches, self.language, count, units)

    def _wider(self, reach: str) -> tuple[list[Stretch], list[int]]:
        if reach == BLOCK:
            return block_stretches(self.sentences)
        return document_stretches(self.sentences, self._texts)
