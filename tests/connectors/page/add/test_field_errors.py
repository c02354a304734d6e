"""The errors of fields are in the language of the page."""

import re
from dataclasses import replace
from functools import cache

import pytest

from connectors.channels.channel import parse_channel
from connectors.credentials.errors import InvalidCredentials
from connectors.credentials.input_formats import checked_name
from connectors.languages.texts import ENGLISH, LANGUAGES, Language, spoken
from connectors.page.add.add_form import AddForm, field_errors, request_body
from connectors.page.asking import refusal_text
from connectors.page.news.channel_forms import field_fault
from connectors.requests.outcomes import RequestOutcome
from schemas.codec.json_requests import readable_subscribe
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal, refusal_by
from streams.agents.match.register.requests import check
from streams.effects.rules import rules
from streams.settings import Settings

FORM = AddForm(url="https://example.org/", send="webhook", webhook="https://example.org/hook")
NUMBER = replace(FORM, number=True)
CRAWL = replace(FORM, crawl="1")
QUOTE = replace(FORM, by="quote", quote="x")
TIMES = replace(FORM, hours="8-18")
NOTICES = replace(FORM, notices=True)
SUMMARY = replace(FORM, summary=True)
LONG = "x" * 5_000
URLS = ("", "http://u:p@example.org/", "http://10.0.0.1/", "http://example.org:25/")
SELECTORS = (
    *("a, , b", "::foo", "[[", "p:nth-foo(1)", "div:has(", "@x", "#", ".", ":not()", "div:"),
    *(LONG, ":is(" * 20),
)
WRONG = [
    *(replace(FORM, url=url) for url in (*URLS, "pages:??")),
    *(replace(FORM, webhook=url) for url in URLS),
    *(replace(FORM, keywords=text) for text in ("€", LONG, "\n".join(map(str, range(101))))),
    *(replace(FORM, interval=text) for text in ("often", "", "99999999999")),
    replace(FORM, interval="7", unit="days", longest="21600"),
    replace(FORM, url="pages:*", interval="7"),
    *(replace(FORM, name=text) for text in (LONG, "a\u200bb")),
    *(replace(FORM, tags=text) for text in (LONG, ",".join(map(str, range(21))))),
    *(replace(FORM, hours=text) for text in ("Foo", ",", "25-26", "8-8", LONG)),
    *(replace(TIMES, timezone=text) for text in ("Europe/Berln", "zzz")),
    *(replace(TIMES, per_day=text) for text in ("0", "x")),
    *(replace(NOTICES, failing_after=text) for text in ("0", "x")),
    *(replace(NUMBER, below=text) for text in ("x", "1,5")),
    replace(NUMBER, below="9", above="3"),
    replace(NUMBER, below="9", patience="3600"),
    replace(NUMBER, changes_by="x", margin="-3", locale=LONG, currency="euro"),
    *(replace(FORM, part=text) for text in SELECTORS),
    *(replace(QUOTE, quote=text) for text in (" ", 2 * LONG)),
    replace(QUOTE, prefix=LONG),
    *(replace(FORM, rule=text) for text in (" ", LONG)),
    replace(SUMMARY, summary_wish=LONG, summary_language=LONG),
    *(replace(CRAWL, crawl=text) for text in ("9", "x")),
    *(replace(CRAWL, max_pages=text) for text in ("0", "x")),
    replace(FORM, credentials="??"),
]
TRANSLATED = [each for each in LANGUAGES.values() if each != ENGLISH]


@cache
def refusals() -> list[Refusal]:
    allowed, found = rules(Settings(max_pages=1_000)), list[Refusal]()
    for form in (*WRONG, replace(CRAWL, max_pages="2000")):
        command, unread = readable_subscribe(request_body(form))
        refused = check(command, allowed, unread)
        assert isinstance(refused, Refusal), form
        found.append(refused)
    return found


def shown(refusal: Refusal, language: Language) -> dict[str, str]:
    with spoken(language):
        return field_errors(refusal)


@pytest.mark.parametrize("language", TRANSLATED, ids=lambda each: each.tag)
def test_no_error_of_a_field_is_english_on_a_page_in_another_language(language: Language) -> None:
    others = [
        refusal_by(
            [Fault(Code.INVALID_FORMAT, "view.credentials", "there are no credentials 'a'")]
        ),
        Refusal(Code.QUOTA, "This key allows 3 subscriptions."),
        Refusal(Code.NO_ANSWER, "Not tried: other pages are being tried. Try again later."),
        Refusal(Code.NO_ANSWER),
    ]
    for refusal in (*refusals(), *others):
        english, translated = shown(refusal, ENGLISH), shown(refusal, language)
        assert english.keys() == translated.keys()
        assert [text for name, text in translated.items() if text == english[name]] == []


def test_a_value_of_an_error_stands_in_its_translation() -> None:
    command, unread = readable_subscribe(request_body(replace(NUMBER, below="1,5")))
    refused = check(command, rules(Settings()), unread)
    assert isinstance(refused, Refusal)
    wanted = "Erlaubt ist eine Zahl wie 1299.50, mit Punkt, nicht '1,5'"
    assert shown(refused, LANGUAGES["de"]) == {"below": wanted}


@pytest.mark.parametrize(
    ("name", "channel", "field"),
    [
        ("a b", "ntfy://a", "name"),
        ("team", "nowhere", "address"),
        ("team", {"address": "ntfy://a", "body": "{{"}, "body"),
        ("team", {"address": "ntfy://a", "body": LONG + LONG + "x"}, "body"),
        ("team", {"address": "ntfy://a", "digest": "daily", "timezone": "Berln"}, "timezone"),
    ],
)
def test_the_error_of_a_channel_is_in_the_language_of_the_page(
    name: str, channel: object, field: str
) -> None:
    with pytest.raises(InvalidCredentials) as raised:
        parse_channel(channel if checked_name(name) else "")
    english = field_fault(str(raised.value))
    with spoken(LANGUAGES["ja"]):
        japanese = field_fault(str(raised.value))
    assert english.keys() == japanese.keys() == {field}
    assert english != japanese
    assert re.match(r"[A-Z]\S*(?:@|://)", japanese[field]) is None  # an example stays as it is


def test_a_refused_change_of_a_watch_says_why_in_the_language_of_the_page() -> None:
    too_often = Fault(Code.INVALID_FORMAT, "interval", "60 to 315360000 seconds are allowed")
    with spoken(LANGUAGES["fr"]):
        found = [
            refusal_text(
                RequestOutcome(Code.INVALID_FORMAT, too_often.detail, faults=(too_often,))
            ),
            refusal_text(RequestOutcome(Code.NO_SUCH_SUBSCRIPTION)),
            refusal_text(RequestOutcome(Code.CONFLICT, "s1 is this receiver's subscription")),
        ]
    assert found == [
        "de 60 à 315360000 secondes sont permises",
        "Cette surveillance n\u2019existe plus.",
        "Cette page est déjà surveillée pour ce destinataire.",
    ]
