"""Reasons of the agents, which records keep in English, are shown in the language of the page."""

import errno
import inspect
import os
import re
from dataclasses import replace

import pytest
from soupsieve import css_parser

from connectors.display.fault_texts import FAULT_TEXTS
from connectors.display.reasons import TEXTS, plain_reason, reason_text, shown_reason
from connectors.http.errors import failure_reason
from connectors.languages.texts import LANGUAGES, spoken
from connectors.page.watch.states import shown_state
from connectors.readers.errors import nothing_like_a_quote, nothing_selected
from connectors.stores.pages import ListedSubscription
from tests.fakes.subscriptions import subscription
from tests.harness.template import ROOT

JOINED = re.compile(r'"\s*\n\s*f?"')
"""The end of a line of a text, and the begin of its next line."""
PARTS = re.compile(r"%\(\w+\)s|, | (?:is|are) (?:allowed|expected)|\. Try again later\.")
"""Values, and the ends of what is put together from several texts."""
OF_SYSTEM = {os.strerror(each) for each in (errno.ECONNREFUSED, errno.ECONNRESET)} | {
    os.strerror(each) for each in (errno.EHOSTUNREACH, errno.ENETUNREACH)
}


def written() -> str:
    """Return the sources that write reasons, without the breaks of their texts."""
    sources = (
        path.read_text(encoding="utf-8")
        for folder in ("connectors", "schemas", "streams")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in {"reasons.py", "fault_texts.py"}
    )
    return plain_reason(JOINED.sub("", "\n".join((*sources, inspect.getsource(css_parser)))))


def test_each_text_that_is_translated_is_one_that_is_written() -> None:
    sources = written()
    texts = [text.replace("%%", "%") for text in (*TEXTS, *FAULT_TEXTS) if text not in OF_SYSTEM]
    parts = {text: max(PARTS.split(text), key=len).strip() for text in texts}
    assert [text for text, part in parts.items() if part not in sources] == []


@pytest.mark.parametrize(
    ("reason", "german"),
    [
        (str(nothing_selected()), "nichts auf der Seite passt zum Teil"),
        (
            str(nothing_like_a_quote(0.4, 0.8)),
            (
                "nichts auf der Seite passt zum Teil; die ähnlichste Stelle stimmt nur zu 40% mit "
                "dem Zitat überein (80% sind nötig)"
            ),
        ),
        (failure_reason(TimeoutError()), "Zeitüberschreitung"),
        ("below 90 (counts again from 95 on)", "unter 90 (zählt wieder ab 95 aufwärts)"),
        ("3 times in a row, at last: HTTP 500", "3-mal nacheinander, zuletzt: HTTP 500"),
        (
            "1 link from http://a.test/, by http://a.test/b",
            "1 Link von http://a.test/ entfernt, über http://a.test/b",
        ),
        ("there is no number in 'Sold out' (view.number)", "in 'Sold out' steht keine Zahl"),
        (
            "e-mail to i…@olympus.test, weekly digest, Fridays at 08:00 (Europe/Berlin)",
            ("E-Mail an i…@olympus.test, wöchentlich gesammelt, Freitag um 08:00 (Europe/Berlin)"),
        ),
        ("suppress", "nicht gewünscht"),
        (
            "not judged: the calls of the day are used up (VOKTER_MODEL_CALLS)",
            "nicht beurteilt: die Fragen des Tages sind aufgebraucht",
        ),
        (
            "Sign in with a verified e-mail address of a.example (VOKTER_OIDC_DOMAINS).",
            "Melden Sie sich mit einer bestätigten E-Mail-Adresse von a.example an.",
        ),
        ("a plug-in says timed out", "a plug-in says timed out"),
        (None, ""),
    ],
)
def test_a_reason_is_shown_in_the_language_of_the_page(reason: str | None, german: str) -> None:
    with spoken(LANGUAGES["de"]):
        assert shown_reason(reason) == german
    assert reason_text(reason or "") == (reason or "")


def test_a_failing_watch_says_why_in_the_language_of_the_page() -> None:
    listed = ListedSubscription(subscription(), "active", None, None, 60, 1, 0, None)
    failing = replace(listed, failures=3, last_error="too many redirects")
    lost = replace(listed, missing=str(nothing_selected()), lost_since=1)
    with spoken(LANGUAGES["fr"]):
        assert shown_state(failing, 10, now=2).detail == "trop de redirections"
    assert shown_state(lost, 10, now=2).detail.endswith(": nothing on the page matches the part")
