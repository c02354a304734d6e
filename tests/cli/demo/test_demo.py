"""What the demo prints of a change."""

from typing import Any

import pytest
from msgspec import to_builtins

from streams.cli.demo.demo import Demo
from streams.cli.demo.town import GIANTS
from streams.diff.regions import changed_regions


def change(before: str, after: str) -> dict[str, Any]:
    return {"url": "", "regions": to_builtins(changed_regions(before, after))}


def test_the_sentences_of_its_page_are_shown_as_they_were_and_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Demo().changes(change(*GIANTS))
    assert capsys.readouterr().out.splitlines() == [
        "  edited  The giant with a hundred eyes → Argus Panoptes guards the cow Io.",
        "  edited  The story is part of Greek mythology → Ovid's Metamorphoses.",
    ]


def test_new_and_gone_sentences_are_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Demo().changes(change("It stays.\nHere it ends.", "It stays.\nNobody knows why."))
    assert capsys.readouterr().out.splitlines() == [
        " removed  Here it ends.",
        "   added  Nobody knows why.",
    ]


def test_escape_sequences_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Demo().changes(change("Argus sleeps here.", "Argus \x1b[2Jsleeps \x9b31mhere."))
    assert not set(capsys.readouterr().out) & {"\x1b", "\x9b"}


def test_it_is_complete_once_words_of_its_page_were_added_and_removed() -> None:
    demo = Demo("http://a.test/")
    for url, event, is_complete in (
        ("http://a.test/", "added", False),
        ("http://b.test/", "removed", False),
        ("http://a.test/", "added", False),
        ("http://a.test/", "removed", True),
    ):
        diff = {"event": event, "keyword": "argus", "text": "Argus"}
        demo.received("/hook", {"url": url, "diffs": [diff]})
        assert demo.complete.is_set() == is_complete
