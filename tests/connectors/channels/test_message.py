"""Texts of messages, made of what pages and templates say."""

from dataclasses import replace

import pytest

from connectors.channels.links import MessageLinks
from connectors.channels.message import message
from connectors.channels.work import Links
from connectors.display.notices import TITLES
from connectors.languages.texts import ENGLISH, LANGUAGES, Language, spoken
from connectors.signed_links import LinkedAction, SignedLinks
from schemas.records.changes import Diff
from schemas.records.delivery_times import Held
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews
from tests.fakes.outgoing import notification

SIGNED = SignedLinks(b"k" * 32, lambda: 0.0)
LINKS = MessageLinks("https://vokter.example/", SIGNED)


@pytest.mark.parametrize(
    "call",
    ["@Channel", "@**all**", "@**everyone**", "@*desk*", "<@&4711>", "<@4711>", "<at id='all'>"],
)
def test_a_page_calls_nobody_in_the_way_of_any_service(call: str) -> None:
    news = replace(notification("n"), diffs=(Diff("added", "argus", call, call),), title=call)
    made = message(news, "", "")
    for text in (made.title, made.text, message(news, "{{ title }}", "{{ diffs[0].text }}").text):
        assert call not in text
        assert call in text.replace("\u200b", "")


def test_addresses_of_mailboxes_stay_as_they_are() -> None:
    news = replace(notification("n"), title="Mail all@here.test, at once: 2 @ 3")
    assert message(news, "", "").title == "Mail all@here.test, at once: 2 @ 3 has changed"


def test_what_was_asked_for_afterwards_says_when_it_was() -> None:
    news = replace(notification("n"), at=1_700_000_000_000, history=True)
    made = message(news, "", "{{ history }} {{ at }}")
    assert made.text == "True 2023-11-14T22:13:20.000Z"
    said = "From the history: this changed at 2023-11-14 22:13 UTC."
    own = message(news, "", "")
    assert said in own.text
    assert said in (own.html or "")
    assert said not in message(replace(news, history=False), "", "").text


def argus(keyword: str = "argus") -> Diff:
    return Diff("added", keyword, "Argus <b> sleeps.", "Argus <b> sleeps.")


def test_a_message_has_the_page_the_time_and_why_one_gets_it() -> None:
    diffs = (argus(), argus("<sleep>"))
    news = replace(notification("n"), title="Giants", diffs=diffs, at=1_700_000_000_000)
    made = message(news, "", "")
    assert made.text.splitlines() == [
        "added: Argus <b> sleeps.",
        "Giants, 2023-11-14 22:13 UTC",
        "http://document.test/",
        "You watch it for: argus, <sleep>.",
    ]
    assert made.html == (
        '<p><bdi dir="auto"><a href="http://document.test/">Giants</a></bdi>'
        ' · 2023-11-14 22:13 UTC</p><p dir="auto"><span dir="ltr">added</span>: '
        "Argus &lt;b&gt; sleeps.</p><p><small>You watch it for: "
        '<bdi dir="auto">argus</bdi>, <bdi dir="auto">&lt;sleep&gt;</bdi>.</small></p>'
    )


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        (["*"], "You watch it for: any change."),
        ([f"k{number}" for number in range(10)], "k6, k7 and 2 more."),
    ],
)
def test_any_change_is_said_in_words_and_many_keywords_are_counted(
    keywords: list[str], said: str
) -> None:
    made = message(replace(notification("n"), diffs=tuple(map(argus, keywords))), "", "")
    assert made.text.endswith(said)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("failing", "You asked to be notified when a page cannot be read."),
        ("found", "You asked to be notified when a page cannot be read."),
        ("pageAdded", "You watch which pages there are."),
    ],
)
def test_a_notice_says_why_one_gets_it(status: str, said: str) -> None:
    assert message(replace(notification("n"), status=status), "", "").text.endswith(said)


def test_with_the_address_of_the_page_a_message_links_to_the_change_and_to_the_watch() -> None:
    news = replace(notification("n"), subscription="s/1", change="c", diffs=(argus(),))
    made = message(news, "", "", LINKS.of(news))
    assert "Compare: https://vokter.example/watch/s%2F1/change/c\n" in made.text
    assert "Edit: https://vokter.example/watch/s%2F1/edit\n" in made.text
    assert '<a href="https://vokter.example/watch/s%2F1/change/c">Compare</a>' in (made.html or "")
    covered = replace(news, document="http://a.test/?b&c")
    assert LINKS.of(covered).shown[0][1].endswith("/c?page=http%3A%2F%2Fa.test%2F%3Fb%26c")


def test_its_signed_links_mute_what_it_says_and_pause_or_stop_its_watch_alone() -> None:
    news = replace(notification("n"), manager="m", subscription="s", diffs=(argus(),))
    links = LINKS.of(news)
    tokens = {label: link.rpartition("/link/")[2] for label, link in links.shown}
    read = {label: SIGNED.read(tokens[label]) for label in ("Mute", "Pause", "Stop")}
    assert read == {
        "Mute": LinkedAction("mute", "m", "s", "n"),
        "Pause": LinkedAction("pause", "m", "s"),
        "Stop": LinkedAction("stop", "m", "s"),
    }
    assert SIGNED.read(links.stop.rpartition("/link/")[2]) == read["Stop"]
    assert [
        line for line in message(news, "", "", links).text.splitlines() if "/link/" in line
    ] == [f"{label}: https://vokter.example/link/{tokens[label]}" for label in read]


def labels(fact: Notification) -> list[str]:
    return [label for label, _ in LINKS.of(fact).shown]


def test_a_failure_has_nothing_to_mute_an_ended_watch_nothing_to_stop_and_a_test_no_link() -> None:
    failing = replace(notification("n"), status="failing", diffs=())
    assert labels(failing) == ["Edit", "Pause", "Stop"]
    ended = replace(failing, status="timeout")
    assert labels(ended) == ["Edit"]
    assert LINKS.of(ended).stop == ""
    test = replace(notification("n"), test=True)
    assert LINKS.of(test) == MessageLinks("", SIGNED).of(failing) == Links()


HELD = Held(0, 1_000, "its hours are 8-18 (UTC)")


def test_a_message_speaks_one_language() -> None:
    price = NumberNews("99", "89", "EUR", ("below 100 EUR (counts again from 101 EUR on)",))
    news = replace(notification("n"), name="Lampe", number=price, held=HELD, diffs=(argus(),))
    with spoken(LANGUAGES["de"]):
        made = message(news, "", "", LINKS.of(news))
    assert made.title == "Lampe: 89 EUR (unter 100)"
    assert [line.partition(": http")[0] for line in made.text.splitlines()] == [
        "99 → 89 EUR: unter 100 EUR (zählt wieder ab 101 EUR aufwärts)",
        "Dies wartete seit 01.01.70, 00:00 UTC: ihre Stunden sind 8-18 (UTC).",
        "neu: Argus <b> sleeps.",
        "Lampe, 01.01.70, 00:00 UTC",
        "http://document.test/",
        "Vergleichen",
        "Stummschalten",
        "Bearbeiten",
        "Anhalten",
        "Beenden",
    ]
    for text in ("neu</span>: Argus", ">Stummschalten</a>"):
        assert text in (made.html or "")


REASONS = (
    "below 100 EUR",
    "above 100 EUR (counts again from 99 EUR down)",
    "changed by -10.1 % from 99 EUR",
    "changed by +5.0 % from 99 (since 2023-11-14 22:13 UTC)",
)


@pytest.mark.parametrize("language", [each for each in LANGUAGES.values() if each != ENGLISH])
def test_each_text_of_a_message_is_in_each_language(language: Language) -> None:
    one = replace(notification("n"), title="7", url="http://7/", content_type="", at=0)
    limit = "1 was sent on that day, as many as it wants"
    facts = [
        *(replace(one, status=status) for status in TITLES),
        replace(one, test=True),
        replace(one, truncated=True, diffs=(argus(), replace(argus(), text="Io", snippet="Io"))),
        replace(one, diffs=(replace(argus(), event="removed", change="removed"),)),
        *(replace(one, number=NumberNews("1", "2", "", (each,))) for each in REASONS),
        replace(one, number=NumberNews("1", "2", ""), held=replace(HELD, reason=limit)),
    ]
    for fact in facts:
        with spoken(ENGLISH):
            english = message(fact, "", "", LINKS.of(fact))
        with spoken(language):
            made = message(fact, "", "", LINKS.of(fact))
        assert made.title != english.title
        same = set(made.text.splitlines()) & set(english.text.splitlines())
        assert same <= {"7", "http://7/", "1 → 2"}
