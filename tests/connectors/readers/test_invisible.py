"""Characters that nobody sees are not read, unless they show in the characters next to them."""

import pytest

from connectors.readers.reading import read_document
from schemas.records.scripts import INVISIBLE
from streams.text.keywords import compile_keyword
from streams.text.tokens import split_words
from streams.text.word_forms import WordForm, normal_form
from tests.fakes.changed import changed


def text_of(markup: str) -> str:
    page = f'<!doctype html><meta charset="utf-8"><body>{markup}'
    return read_document(page.encode(), "text/html", None).text


@pytest.mark.parametrize("sign", INVISIBLE)
def test_an_invisible_character_is_no_change(sign: str) -> None:
    plain = text_of("<p>Marke: Argus</p><p>Preis 5</p>")
    marked = text_of(f"<p>{sign}Mar{sign}ke{sign}: Argus</p><p>Preis{sign} 5{sign}</p>")
    assert marked == plain
    assert changed(plain, marked) == []


@pytest.mark.parametrize("sign", INVISIBLE)
def test_an_invisible_character_divides_no_word_of_a_text_or_a_keyword(sign: str) -> None:
    form = WordForm("de", stemming=False, ignore_case=True)
    (word,) = split_words(f"Donau{sign}dampf{sign}schiff")
    assert normal_form(word, form) == "donaudampfschiff"
    keyword = compile_keyword(f"Donau{sign}dampfschiff", form, filter_stopwords=False)
    assert keyword.phrases == (("donaudampfschiff",),)


@pytest.mark.parametrize(
    "word",
    [
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
    ],
    ids=["Persian", "Hindi", "family", "flag"],
)
def test_joiners_of_letters_that_join_and_of_emoji_stay(word: str) -> None:
    assert text_of(f"<p>{word}</p>") == word
