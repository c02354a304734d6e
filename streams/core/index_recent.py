"""What came to an index of late, in lists and dicts: cheap to add to."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from schemas.facts import Subscription
from streams.core.index_terms import Term, formed


class Recent:
    """The subscriptions of late and their terms."""

    def __init__(self) -> None:
        """Start empty."""
        # Lists of what is no container: the garbage collector has nothing to look at.
        self.subscriptions: list[Subscription] = []
        self.words: list[str] = []
        self.others: list[str | None] = []
        self.places: list[int] = []
        self._forms: dict[str, dict[str, list[int]]] = {}
        self._seen: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.subscriptions)

    def add(self, subscription: Subscription, terms: Iterable[Term]) -> None:
        """Put a subscription under its terms."""
        for word, other in terms:
            self.words.append(word)
            self.others.append(other)
            self.places.append(len(self.subscriptions))
        self.subscriptions.append(subscription)

    def find(self, forms: AbstractSet[str], language: str) -> Iterator[Subscription]:
        """Give the subscriptions whose words have one of these forms in a language."""
        by_form = self._by_form(language)
        for form in by_form.keys() & forms:
            for posting in by_form[form]:
                other = self.others[posting]
                if other is None or formed([other], language)[0] in forms:
                    yield self.subscriptions[self.places[posting]]

    def _by_form(self, language: str) -> dict[str, list[int]]:
        """Take in what was added since this language was last asked for."""
        by_form = self._forms.setdefault(language, {})
        seen = self._seen.get(language, 0)
        for posting, form in enumerate(formed(self.words[seen:], language), seen):
            by_form.setdefault(form, []).append(posting)
        self._seen[language] = len(self.words)
        return by_form
