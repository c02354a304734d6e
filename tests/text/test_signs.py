# ruff: noqa: RUF001 - signs of all kinds are what is tested here
"""Keywords with signs, such as C++: which texts have them."""

import pytest

from streams.text.keywords import compile_keyword, valid_keywords
from streams.text.signs import phrase_signs
from streams.text.word_forms import WordForm
from tests.fakes.watched import notified

HAVE = [
    ("C++", "we need C++ developers", "C++11 rocks", "C, C#, C++", "C++/CLI", "Objective-C++"),
    ("C++", "C++言語", "C++을 배우다"),
    ("F#", "C#, F#.", "“F#”"),
    (".NET", "uses .NET 8", "(.NET)", "了解.NET框架"),
    ("A+", "grade A+, no more"),
    ("50%", "save 50% now", "save 50 % now", "save 50%!", "bis zu －50％"),
    ("50 %", "save 50%"),
    ("$100", "for $100", "US$100", "only $100.00", "$ 100"),
    ("100 €", "100€", "für 100 €"),
    ("§5", "nach § 5 BGB", "§5"),
    ("§ 5", "§5", "nach § 5 BGB"),
    ("#news", "today #news", "今日#news"),
    ("@anna", "ask @anna, please", "(@anna)"),
    ("3.11", "Python 3.11 is out", "Python 3.11.2"),
    ("$AAPL", "$AAPL rises"),
    ("R&D", "in R&D"),
    ("Wi-Fi", "new Wi‑Fi", "Wi–Fi"),
    ("−5", "at -5 degrees"),
    ("/api", "https://d.test/api/v2"),
    ('"C++ developer"', "a C++ developer"),
    ("🚀", "launch🚀soon", "a 🚀"),
    ("👍", "👍🏽 to all"),
    ("❤", "with ❤️"),
    ("🇩🇪", "for 🇩🇪🇫🇷"),
    ("タワー", "東京タワーへ", "タワー・ブリッジ", "ﾀﾜｰ"),
    ("アップル*", "アップルウォッチ"),
    ("*ライン", "オンライン講座"),
    ("東京", "東京駅"),
    # What is typed by habit is no sign.
    ("Sale!", "a sale", "SALE"),
    ("news?", "no news."),
    ("(beta),", "now beta"),
    ("„Zeit“", "Zeit"),
    ("«Zeit»…", "Zeit"),
    ("¿Qué?", "qué más"),
    ("Lego®", "a Lego set"),
    ("R & D", "D, then R"),
]
LACK = [
    ("C++", "C and C#", "C+ is a grade", "C + + D"),
    ("C#", "C, C++", "#C"),
    (".NET", "the net income", "behance.net", "net."),
    ("F#", "F, and #1"),
    ("A+", "grade A", "A++ label", "a + b"),
    ("50%", "50 cents", "12.50% more", "150%"),
    ("$100", "100 units", "$100,000", "$1,100", "$100.50", "€100"),
    ("§5", "nach 5 BGB", "§ 50"),
    ("#news", "the news", "page#news"),
    ("@anna", "Anna", "info@anna.test"),
    ("3.11", "3, 11", "3 11", "3. 11", "1.3.11", "3.110"),
    ("$AAPL", "AAPL"),
    ("R&D", "R, D", "R and D"),
    ("Wi-Fi", "Wi Fi", "WiFi"),
    ("-5", "5 degrees", "2-5"),
    ('"C++ developer"', "a C# developer", "a C developer, C++"),
    ("🚀", "rocket", "🛸"),
    ("🇩🇪", "🇫🇷"),
    ("ライン", "オンライン講座"),
    ("タイ", "タイヤ", "タイム", "ネクタイ"),
    ("アップル", "アップルウォッチ"),
]


def matched(keyword: str, text: str, scope: str) -> list[str]:
    """Return the keywords of a new text."""
    found = notified("", text, keyword, language="en", ignore_case=True, scope=scope)
    return [each[1] for each in found]


@pytest.mark.parametrize("scope", ["change", "sentence", "block", "document"])
def test_a_text_with_the_signs_of_a_keyword_matches(scope: str) -> None:
    pairs = [(keyword, text) for keyword, *texts in HAVE for text in texts]
    assert [each for each in pairs if matched(*each, scope) != [each[0]]] == []


@pytest.mark.parametrize("scope", ["change", "sentence", "block", "document"])
def test_a_text_that_lacks_a_sign_does_not(scope: str) -> None:
    pairs = [(keyword, text) for keyword, *texts in LACK for text in texts]
    assert [each for each in pairs if matched(*each, scope)] == []


def test_a_keyword_without_signs_ignores_those_of_the_text() -> None:
    found = notified("", "C++, 50%, #news", "C", "50", "news", language="en")
    assert [each[1] for each in found] == ["C", "50", "news"]


@pytest.mark.parametrize("scope", ["change", "sentence"])
def test_signs_that_come_to_a_word_are_a_change_of_it(scope: str) -> None:
    found = notified("a C developer", "a C++ developer", "C++", language="en", scope=scope)
    assert [each[:2] for each in found] == [("added", "C++")]


def test_signs_are_not_sought_across_two_texts() -> None:
    old, new = "One.\n\nTwo.", "One with C\n\n++ Two."
    assert not notified(old, new, "C++", language="en", scope="block")


def test_stop_words_of_a_keyword_with_signs_are_left_out_as_a_whole() -> None:
    form = WordForm("en", stemming=False, ignore_case=True)
    compiled = compile_keyword("the A+ rating", form, True)
    assert compiled.phrases == (("a",), ("rating",))
    assert notified("", "an A+ rating", "the A+ rating", language="en", filter_stopwords=True)
    assert not notified("", "an A rating", "the A+ rating", language="en", filter_stopwords=True)


def test_a_picture_alone_is_a_keyword() -> None:
    assert valid_keywords(["🚀", "?!", "$", "+"]) == ("🚀",)


@pytest.mark.parametrize("phrase", ["Sale", "Sale!", '("Sale"...)', "‚Sale‘", "R & D"])
def test_words_and_punctuation_have_no_signs(phrase: str) -> None:
    assert phrase_signs(phrase) == ()
