import pytest

from connectors.languages.formats import date_of, minute, number, second, weekday
from connectors.languages.texts import (
    ENGLISH,
    LANGUAGES,
    Language,
    current_language,
    gettext,
    ngettext,
    pgettext,
    spoken,
    wanted_language,
)

FRENCH = "12\u202f345 surveillances"


@pytest.mark.parametrize(
    ("chosen", "accepted", "tag"),
    [
        ("", "", "en"),
        ("", "de-AT, en;q=0.5", "de"),
        ("", "en;q=0.5, fr;q=0.9", "fr"),
        ("", "nl, es-419;q=0.8, en;q=0.1", "es"),
        ("", "zh-TW", "zh-Hans"),
        ("", "JA-JP", "ja"),
        ("", "de;q=0, ja;q=0.001", "ja"),
        ("", "*", "en"),
        ("", "de;q=banana, fr", "fr"),
        ("", ", " * 100_000 + "de", "en"),
        ("fr", "de", "fr"),
        ("tlh", "de", "de"),
        ("../../etc/passwd", "", "en"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_best_of_the_browser(
    chosen: str, accepted: str, tag: str
) -> None:
    assert wanted_language(chosen, accepted).tag == tag


def test_texts_are_of_the_language_of_the_context_and_english_after_it() -> None:
    with spoken(LANGUAGES["de"]):
        assert gettext("Watches") == "Beobachtungen"
        with spoken(LANGUAGES["fr"]):
            assert gettext("Since %(time)s: %(reason)s", time="x", reason="100 %") == (
                "Depuis le x\u00a0: 100 %"
            )
        assert current_language().tag == "de"
    assert (gettext("Watches"), current_language()) == ("Watches", ENGLISH)


def test_a_text_without_a_translation_is_english() -> None:
    with spoken(LANGUAGES["ja"]):
        assert gettext("No such text: %(name)s", name="x") == "No such text: x"


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ("en", ["0 watches", "1 watch", "2 watches", "12,345 watches"]),
        ("de", ["0 Beobachtungen", "1 Beobachtung", "2 Beobachtungen", "12.345 Beobachtungen"]),
        ("es", ["0 vigilancias", "1 vigilancia", "2 vigilancias", "12.345 vigilancias"]),
        # Of none, French speaks as of one.
        (
            "fr",
            ["0 surveillance", "1 surveillance", "2 surveillances", "12\u202f345 surveillances"],
        ),
        ("ja", ["監視 0 件", "監視 1 件", "監視 2 件", "監視 12,345 件"]),
        ("zh-Hans", ["0 个监视", "1 个监视", "2 个监视", "12,345 个监视"]),
    ],
)
def test_each_language_has_its_plurals_and_writes_numbers_in_its_way(
    tag: str, texts: list[str]
) -> None:
    with spoken(LANGUAGES[tag]):
        assert [ngettext("%(num)s watch", "%(num)s watches", n) for n in (0, 1, 2, 12_345)] == texts


def test_a_word_is_translated_by_its_context() -> None:
    with spoken(LANGUAGES["de"]):
        assert (gettext("Watch"), pgettext("noun", "Watch")) == ("Beobachten", "Beobachtung")


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ("en", ["2023-11-14 22:13 UTC", "2023-11-14 22:13:20 UTC", "2023-11-14", "Tuesday"]),
        ("de", ["14.11.23, 22:13 UTC", "14.11.2023, 22:13:20 UTC", "14.11.2023", "Dienstag"]),
        ("ja", ["2023/11/14 22:13 UTC", "2023/11/14 22:13:20 UTC", "2023/11/14", "火曜日"]),
    ],
)
def test_times_are_written_as_the_language_does(tag: str, texts: list[str]) -> None:
    at = "2023-11-14T22:13:20.000Z"
    with spoken(LANGUAGES[tag]):
        assert [minute(at), second(at), date_of(at), weekday("tuesday")] == texts


def test_numbers_are_grouped() -> None:
    with spoken(LANGUAGES["de"]):
        assert [number(each) for each in (7, 999, 1_000, -12_345)] == [
            "7",
            "999",
            "1.000",
            "-12.345",
        ]


def test_a_script_that_runs_from_the_right_says_so() -> None:
    assert {each.direction for each in LANGUAGES.values()} == {"ltr"}
    assert Language("ar-EG", "العربية").direction == "rtl"
