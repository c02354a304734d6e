"""Texts of messages, made of what pages and templates say."""

from dataclasses import replace

import pytest

from connectors.channels.message import message, watch_links
from schemas.records.changes import Diff
from tests.fakes.outgoing import notification

PAGE = "https://vokter.example/"


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
    made = message(news, "", "", PAGE)
    assert "Compare: https://vokter.example/watch/s%2F1/change/c\n" in made.text
    assert made.text.endswith("Pause or stop it: https://vokter.example/watch/s%2F1")
    assert '<a href="https://vokter.example/watch/s%2F1/change/c">Compare</a>' in (made.html or "")
    covered = replace(news, document="http://a.test/?b&c")
    assert watch_links(covered, PAGE)[0][1].endswith("/c?page=http%3A%2F%2Fa.test%2F%3Fb%26c")


def test_a_failure_links_to_the_watch_alone_and_a_test_to_nothing() -> None:
    failing = replace(notification("n"), status="failing")
    assert [label for label, _ in watch_links(failing, PAGE)] == ["Pause or stop it"]
    assert watch_links(replace(notification("n"), test=True), PAGE) == []
    assert watch_links(failing, "") == []
