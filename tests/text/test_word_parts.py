"""Keywords that are parts of words: compounds by choice."""

from typing import Any

import pytest

from schemas.codec.body import diff_json
from schemas.records.subscriptions import Options
from streams.matching.change_words import ChangeWords, KnownForms, may_concern
from streams.matching.index.subscription_index import IndexByReach
from streams.matching.matcher import Matcher
from streams.matching.terms.terms import placed
from streams.text.keywords import keyword_phrases, valid_keywords
from streams.values.steps import completed
from tests.fakes.regions import added
from tests.fakes.subscriptions import subscription
from tests.fakes.watched import notified

FOUND = [
    ("*jacke", "eine Softshelljacke", True),
    ("*jacke", "eine Jacke", True),
    ("*jacke", "zwei Softshelljacken", False),
    ("Inflation*", "die Inflationsrate", True),
    ("Inflation*", "Deflation und Inflation", True),
    ("Inflation*", "Stagflation", False),
    ("*flation*", "Stagflationen", True),
    ("Jacke", "eine Softshelljacke", False),
    ('"rote *jacke"', "eine rote Regenjacke", True),
    ('"rote *jacke"', "eine rote Hose, Regenjacke", False),
    ("*jacke rot", "die Regenjacke ist rot", True),
    ("*jacke rot", "die Regenjacke ist blau", False),
    ("삼성*", "삼성전자는", True),
    ("super-*man", "super-spiderman", True),
    ("5*", "50 Hotels", False),
    ("5*", "5 Hotels", True),
]


@pytest.mark.parametrize("scope", ["change", "sentence", "document"])
@pytest.mark.parametrize("stemming", [False, True])
def test_a_part_of_a_word_finds_compounds(scope: str, stemming: bool) -> None:
    options: dict[str, Any] = {"scope": scope, "enable_stemming": stemming, "ignore_case": True}
    for keyword, text, expected in FOUND:
        found = notified("", text, keyword, language="de", **options)
        assert bool(found) is expected, (keyword, text)


@pytest.mark.parametrize("keyword", [each for each, *_ in FOUND])
def test_every_way_to_a_subscription_leads_to_it(keyword: str) -> None:
    options = Options(enable_stemming=True, ignore_case=True)
    one = subscription(keywords=(keyword,), options=options)
    index = IndexByReach([one])
    for _, text, expected in (each for each in FOUND if each[0] == keyword):
        words = ChangeWords([added(text)], "de")
        assert may_concern(words, one, KnownForms()) >= expected
        assert (one in completed(index.find_steps(words))) >= expected
    index.remove(one)
    assert not completed(index.find_steps(words))


def test_a_part_alone_wants_every_change_of_the_pages_of_its_manager() -> None:
    (query,) = placed(subscription(keywords=("*jacke",)), 8).values()
    assert query.everything
    assert not any(
        each.everything for each in placed(subscription(keywords=("*jacke rot",)), 8).values()
    )


def test_the_whole_word_is_marked() -> None:
    one = subscription(keywords=("*jacke",), options=Options(ignore_case=True))
    (found,) = Matcher([added("Eine Regenjacke.")], "de").diffs(one)[0]
    assert diff_json(found)["offsets"]["text"]["keyword"] == [[5, 15]]


def test_a_part_has_three_letters_at_least() -> None:
    assert keyword_phrases("*ja* *jac ab* 東京*") == (("ja",), ("*jac",), ("ab",), ("東", "京"))
    assert valid_keywords(["**", "*?", "*jacke"]) == ("*jacke",)
