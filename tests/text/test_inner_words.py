# ruff: noqa: RUF001 - letters and apostrophes of several scripts are what is tested here
"""Keywords that are found within a written word, and those that are not."""

import pytest

from streams.matching.change_words import ChangeWords, KnownForms, may_concern
from streams.text.word_forms import WordForm, other_forms
from tests.fakes.regions import added
from tests.fakes.subscriptions import subscription
from tests.fakes.watched import notified

FOUND = [
    ("en", "Liverpool", "Liverpool’s win", "Liverpool's", "LIVERPOOL'S"),
    ("nl", "foto", "de foto's"),
    ("fr", "université", "L’université", "d'université", "à l'Université"),
    ("fr", "il", "s’il vient", "qu'il vient", "lorsqu’il vient"),
    ("fr", "amour", "quelqu'amour", "presqu’amour"),
    ("it", "Italia", "dell'Italia", "l’Italia", "nell'Italia", "un'Italia"),
    ("it", "altra", "quest'altra", "nessun’altra", "dov'altra", "quand'altra", "anch'altra"),
    ("el", "Αθήνα", "ΑΘΗΝΑ", "Αθηνα"),
    ("fr", "Italie", "l’Italie’s"),
    ("tr", "internet", "Internet haberleri", "INTERNET", "İnternet", "internet'te"),
    ("tr", "Internet", "internet haberleri", "İnternet"),
    ("tr", "ılık", "Ilık su", "ILIK"),
    ("tr", "Ankara", "Ankara'ya", "Ankara’daki", "Ankara'nın"),
    ("ru", "самолёт", "самолет летит"),
    ("ru", "самолет", "Самолёт летит"),
    ("ar", "محمد", "مُحَمَّد", "مـحـمـد"),
    ("ar", "مُحَمَّد", "محمد"),
    ("ar", "أحمد", "احمد"),
    ("ar", "ايران", "إيران", "ایران"),
    ("he", "שלום", "שָׁלוֹם"),
    ("fa", "می‌خواهد", "میخواهد"),
    ("fa", "میخواهد", "می‌خواهد"),
    ("fa", "کتاب", "كتاب"),
    ("fa", "کتاب", "کتاب‌ها", "کتاب‌های", "کتاب‌هایی", "کتاب‌ام"),
    ("ko", "삼성", "삼성은", "삼성이", "삼성의", "삼성에서는", "삼성과", "삼성으로"),
    ("ko", "휴대폰", "휴대폰을 샀다", "휴대폰들이", "휴대폰입니다"),
    ("ko", "서울", "서울로", "서울까지"),
    ("ko", "사람", "사람들에게는", "사람한테서"),
    ("ko", "LG", "LG는", "LG가"),
    ("ko", "삼성은", "삼성은"),
]
NOT_FOUND = [
    ("en", "Brien", "O'Brien"),
    ("en", "don", "don't"),
    ("en", "isn", "isn’t"),
    ("en", "Wendy's", "Wendy Williams"),
    ("fr", "L'Équipe", "une équipe"),
    ("fr", "hui", "aujourd'hui"),
    ("tr", "Kur", "Kur'an"),
    ("tr", "kız", "kazı"),
    ("en", "Ankara", "Ankara'ya"),
    ("ru", "мои", "мой"),
    ("ko", "가", "가을"),
    ("ko", "삼성", "삼성전자는"),
    ("ko", "바", "바다"),
]


@pytest.mark.parametrize("stemming", [False, True])
def test_a_word_is_found_without_what_belongs_to_its_grammar(stemming: bool) -> None:
    options = {"ignore_case": True, "enable_stemming": stemming}
    missed = []
    for language, keyword, *texts in FOUND:
        for text in texts:
            found = notified("", text, keyword, language=language, **options)
            if [each[1] for each in found] != [keyword]:
                missed.append((language, keyword, text))
    assert missed == []


@pytest.mark.parametrize(
    ("language", "keyword", "text"),
    [(lang, k, text) for lang, k, *texts in NOT_FOUND for text in texts],
)
def test_a_part_of_a_word_is_not(language: str, keyword: str, text: str) -> None:
    assert not notified("", text, keyword, language=language, ignore_case=True)


@pytest.mark.parametrize(("text", "expected"), [("Bayerns Tore", True), ("Bayreuth", False)])
def test_a_german_possessive_is_found_by_its_stem(text: str, expected: bool) -> None:
    options = {"ignore_case": True, "enable_stemming": True}
    assert bool(notified("", text, "Bayern", language="de", **options)) is expected


def test_a_phrase_is_found_with_inner_words() -> None:
    assert notified("", "Liverpool’s new stadium", '"Liverpool new"', language="en")
    assert notified("", "au musée d’Orsay", '"musée Orsay"', language="fr")


def test_a_backtest_finds_inner_words_too() -> None:
    words = ChangeWords([added("L’université de Paris")], "fr")
    assert may_concern(words, subscription(keywords=("université",)), KnownForms())
    assert not may_concern(words, subscription(keywords=("versité",)), KnownForms())


def test_words_without_others_within_cost_nothing_to_keep() -> None:
    form = WordForm("en", stemming=True, ignore_case=True)
    assert other_forms(["argus", "don't", "Häuser", "東"], form) == {}


@pytest.mark.parametrize(
    ("keyword", "text", "expected"),
    [
        ("Will Smith", "Kevin Smith", False),
        ("Will Smith", "the Smith will", False),
        ("Will Smith", "Will Smith", True),
        ("will of Smith", "Kevin Smith", True),
        ('"The Who"', "the who", False),
    ],
)
def test_a_name_that_is_a_stop_word_but_for_its_case_stays_for_who_minds_case(
    keyword: str, text: str, expected: bool
) -> None:
    found = notified("", text, keyword, language="en", filter_stopwords=True)
    assert bool(found) is expected
