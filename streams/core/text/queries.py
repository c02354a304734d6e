"""Keywords in the normal form of one subscription."""

from functools import lru_cache
from typing import NamedTuple

from streams.core.text.keywords import ANY, Phrase, phrases
from streams.core.text.word_forms import WordForm, is_stopword, normal_form

_CACHED = 100_000


class KeywordQuery(NamedTuple):
    """One keyword: all of its phrases must be in a passage.

    ``filtered`` says that stop words were taken out, and are to be taken out of the
    passage too; ``anything`` that every passage matches.
    """

    keyword: str
    phrases: tuple[Phrase, ...]
    filtered: bool
    anything: bool


@lru_cache(maxsize=_CACHED)
def query(keyword: str, form: WordForm, filter_stopwords: bool) -> KeywordQuery:
    """Compile a keyword; one of nothing but stop words keeps them."""
    whole = phrases(keyword)
    telling = filter_stopwords and tuple(
        filter(None, (_telling(each, form.language) for each in whole))
    )
    filtered = bool(telling)
    chosen = telling or whole
    normals = tuple([tuple([normal_form(word, form) for word in phrase]) for phrase in chosen])
    return KeywordQuery(keyword, normals, filtered, keyword == ANY)


def _telling(phrase: Phrase, language: str) -> Phrase:
    return tuple(word for word in phrase if not is_stopword(word, language))
