"""Messages of what a language model has judged or summarized: above the sentences, as text."""

from dataclasses import replace

from connectors.channels.message import message
from connectors.display.explanations import notes_of
from schemas.records.changes import Diff
from tests.fakes.notifications import NOTIFICATION

ENTRY = Diff("added", "argus", "Argus sleeps.", "Argus sleeps.")
JUDGED = replace(
    NOTIFICATION,
    diffs=(ENTRY,),
    verdict="pass",
    because="It is about Argus.",
    summary="Argus <b>sleeps</b>.\n@everyone: \u202elook",
)


def test_the_summary_and_the_reason_stand_above_the_sentences_and_not_instead_of_them() -> None:
    found = message(JUDGED, "", "")
    lines = found.text.splitlines()

    assert lines[0] == "Argus <b>sleeps</b>."
    assert lines[2] == "By your rule (pass): It is about Argus."
    assert lines.index("added: Argus sleeps.") > 2


def test_what_a_model_says_is_text_and_calls_nobody() -> None:
    found = message(JUDGED, "", "")

    assert found.html is not None
    assert "Argus &lt;b&gt;sleeps&lt;/b&gt;." in found.html
    assert "@everyone" not in found.text + found.html
    assert "\u202e" not in found.text + found.html


def test_one_that_was_not_judged_says_why() -> None:
    found = notes_of(replace(NOTIFICATION, verdict="not judged: the model is away"))

    assert found == ["Not judged: the model is away."]


def test_a_template_may_show_them() -> None:
    found = message(JUDGED, "", "{{ verdict }}: {{ because }} {{ summary }}")
    plain = message(replace(NOTIFICATION, diffs=(ENTRY,)), "", "[{{ verdict }}{{ summary }}]")

    assert found.text.startswith("pass: It is about Argus. Argus")
    assert plain.text == "[]"
