"""Stemmers as plug-ins, from the folder to a match."""

import os
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import STEMMERS
from connectors.stemmers import plugin_stemmer
from streams.text.stemming import PluginLanguage, stem_word
from streams.text.word_forms import WordForm, is_stopword, normal_form

STEMMER = """
LANGUAGES = ("la", "en")

def stem(word):
    return word[:4]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "stemmers"
    folder.mkdir()
    return folder / "latin.py"


@pytest.fixture
def found(tmp_path: Path) -> Plugins:
    return open_plugins(STEMMERS, tmp_path)


def language(found: Plugins, code: str) -> str:
    plugged = plugin_stemmer(found, stem_word, code)
    return PluginLanguage(code, *plugged) if plugged else code


def stemmed(found: Plugins, word: str, code: str) -> str:
    return normal_form(word, WordForm(language(found, code), stemming=True, ignore_case=True))


def test_a_stemmer_is_used_changed_and_removed_while_the_process_runs(
    found: Plugins, file: Path
) -> None:
    assert stemmed(found, "gigantibus", "la") == "gigantibus"
    assert stemmed(found, "giants", "en") == "giant"

    file.write_text(STEMMER)
    assert stemmed(found, "gigantibus", "la") == "giga"
    assert stemmed(found, "giants", "en") == "gian"

    file.write_text(STEMMER.replace("4", "3"))
    os.utime(file, (1, 1))  # files written within some ms may get the same time
    assert stemmed(found, "gigantibus", "la") == "gig"

    file.unlink()
    assert stemmed(found, "gigantibus", "la") == "gigantibus"
    assert stemmed(found, "giants", "en") == "giant"


def test_other_languages_keep_their_stemmers(found: Plugins, file: Path) -> None:
    file.write_text(STEMMER)
    assert language(found, "de") == "de"
    assert stemmed(found, "Häuser", "de") == stem_word("häuser", "de")


@pytest.mark.parametrize("work", ["1 / 0", "None"])
def test_a_stemmer_that_fails_is_reported_once_and_the_built_in_one_serves(
    work: str, found: Plugins, file: Path
) -> None:
    file.write_text(STEMMER.replace("word[:4]", work))
    with capture_logs() as logs:
        assert stemmed(found, "giants", "en") == "giant"
        assert stemmed(found, "gods", "en") == "god"
        assert stemmed(found, "gigantibus", "la") == "gigantibus"
    events: list[Any] = [each["event"] for each in logs]
    assert events == ["a plug-in was loaded", "a plug-in failed"]


def test_stop_words_are_still_those_of_the_language(found: Plugins, file: Path) -> None:
    file.write_text(STEMMER)
    assert is_stopword("the", language(found, "en"))


def test_two_versions_of_a_stemmer_are_two_languages_to_a_cache(found: Plugins, file: Path) -> None:
    file.write_text(STEMMER)
    first = language(found, "en")
    assert first == language(found, "en")
    file.write_text(STEMMER + "\n")
    assert len({"en", first, language(found, "en")}) == 3
