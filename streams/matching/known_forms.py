"""Which changes one subscription may be concerned by, found by their words alone."""

from itertools import chain, filterfalse

from schemas.records.subscriptions import Subscription
from streams.matching.change_words import ChangeWords
from streams.matching.stretches import reach_of
from streams.text.queries import KeywordQuery, compile_keyword
from streams.text.word_forms import WordForm, normal_forms

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
        """Begin with none."""
        self._known: dict[WordForm, dict[str, str]] = {}

    def of(self, words: set[str], form: WordForm) -> set[str]:
        """Return the normal forms of words."""
        if form not in self._known and len(self._known) >= MAX_FORMS:
            self._known.clear()
        known = self._known.setdefault(form, {})
        missing = [*filterfalse(known.__contains__, words)]
        if len(known) + len(missing) > MAX_KNOWN:
            known.clear()
            missing = list(words)
        if missing:
            known.update(zip(missing, normal_forms(missing, form), strict=True))
        return set(map(known.__getitem__, words))


def may_concern(words: ChangeWords, subscription: Subscription, forms: KnownForms) -> bool:
    """Return whether a change has all words of one of a subscription's keywords.

    If not, none of its sentences concerns the subscription; the matcher knows the rest.
    """
    options = subscription.options
    form = words.form(options.enable_stemming, options.ignore_case)
    filtering = options.filter_stopwords
    queries = [compile_keyword(each, form, filtering) for each in subscription.keywords]
    if any(query.matches_anything for query in queries):
        return True
    found = forms.of(words.different(reach_of(options.scope)), form)
    return any(_has_words(query, found) for query in queries)


def _has_words(query: KeywordQuery, found: set[str]) -> bool:
    return bool(query.phrases) and found.issuperset(chain.from_iterable(query.phrases))
