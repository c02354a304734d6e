"""Keywords, compiled to the normal form in which a subscription compares words."""

from functools import lru_cache
from typing import NamedTuple

from streams.text.keywords import ANY_CHANGE, Phrase, keyword_phrases
from streams.text.word_forms import WordForm, is_stopword, normal_form

_CACHED = 100_000


class KeywordQuery(NamedTuple):
    """A compiled keyword: a sentence matches that has all of its phrases.

    ``filtered`` says that stop words were taken out of the phrases, and have to be taken
    out of the sentence too; ``matches_anything`` that every change matches.
    """

    keyword: str
    form: WordForm
    phrases: tuple[Phrase, ...]
    filtered: bool
    matches_anything: bool


@lru_cache(maxsize=_CACHED)
def compile_keyword(keyword: str, form: WordForm, filter_stopwords: bool) -> KeywordQuery:
    """Compile a keyword; one that has nothing but stop words keeps them.

    compile_keyword('"The Giants" eyes', WordForm("en", True, True), True).phrases
    is ``(("giant",), ("eye",))``.
    """
    written = keyword_phrases(keyword)
    filtered = filter_stopwords and tuple(
        filter(None, (_without_stopwords(phrase, form.language) for phrase in written))
    )
    chosen = filtered or written
    return KeywordQuery(
        keyword=keyword,
        form=form,
        phrases=tuple([tuple([normal_form(word, form) for word in each]) for each in chosen]),
        filtered=bool(filtered),
        matches_anything=keyword == ANY_CHANGE,
    )


def _without_stopwords(phrase: Phrase, language: str) -> Phrase:
    return tuple(word for word in phrase if not is_stopword(word, language))
