"""Texts of messages, made of what pages and templates say."""

from dataclasses import replace

import pytest

from connectors.channels.message import message
from schemas.records.changes import Diff
from tests.fakes.outgoing import notification


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
