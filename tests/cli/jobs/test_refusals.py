"""A refusal names what was asked for, and what to do."""

import re
from dataclasses import replace

import pytest

from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.requests import Cancel, Pause, Rename, Resume, Rotate, Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.cli.jobs.refusals import Refused, asked_subscription, refused
from streams.settings import Settings

PAGE, HOOK = "https://example.org/giants", "https://example.com/hook"
SUBSCRIBE = Subscribe(PAGE, Receiver(HOOK), keywords=("argus",), options=Options(interval=5))


@pytest.mark.parametrize("kind", [Cancel, Pause, Resume, Rotate])
def test_a_wrong_pair_is_named_with_what_was_to_be_done(kind: type[Cancel]) -> None:
    text = str(refused(kind(PAGE, Receiver(HOOK)), Refusal(Code.NO_SUCH_SUBSCRIPTION)))
    assert text.startswith(f"Cannot {kind.__name__.lower()}: ")
    assert f"no subscription of {PAGE} for {HOOK}" in text
    assert "vokter list" in text


def test_a_second_subscribe_names_the_pair_and_the_option() -> None:
    text = str(refused(SUBSCRIBE, Refusal(Code.CONFLICT)))
    assert f"{PAGE} is already watched for {HOOK}. Add --replace" in text
    named = str(refused(replace(SUBSCRIBE, name="in stock"), Refusal(Code.CONFLICT)))
    assert f"{PAGE} is already watched for {HOOK} named 'in stock'. Add --replace" in named
    rename = Rename(PAGE, Receiver(HOOK), new_name="in stock")
    assert "Another one has the name 'in stock'" in str(refused(rename, Refusal(Code.CONFLICT)))


def test_an_interval_that_is_too_small_is_named_with_the_setting() -> None:
    wrong = Refusal(Code.INVALID_FORMAT, "interval: 60 to 9 seconds are allowed")
    text = str(refused(SUBSCRIBE, wrong))
    assert "60 to 9 seconds are allowed. You asked for 5s; VOKTER_MIN_INTERVAL" in text


@pytest.mark.parametrize("code", [Code.INVALID_DOCUMENT_URL, Code.INVALID_CLIENT_URL])
def test_a_private_address_names_the_setting_that_allows_it(code: Code) -> None:
    detail = "address 127.0.0.1 is private or reserved: not allowed"
    text = str(refused(SUBSCRIBE, Refusal(code, detail)))
    assert "VOKTER_ALLOW_PRIVATE" in text
    assert (PAGE if code == Code.INVALID_DOCUMENT_URL else HOOK) in text


@pytest.mark.parametrize(
    ("url", "words", "said"),
    [
        ("http://127.0.0.1/", ("argus",), "VOKTER_ALLOW_PRIVATE"),
        (PAGE, ("!?",), "at least one valid keyword"),
    ],
)
def test_what_would_be_refused_is_refused_before_anything_is_started(
    url: str, words: tuple[str, ...], said: str
) -> None:
    request = Subscribe(url, Receiver(session="s"), keywords=words, options=Options(interval=60))
    with pytest.raises(Exception, match=said):
        asked_subscription(Settings(min_interval=60), request, "subscribe")


def test_all_that_is_wrong_with_a_request_is_said_at_once() -> None:
    request = Subscribe("here", Receiver(session="s"), keywords=("!",), options=Options(interval=5))
    with pytest.raises(Refused) as refusal:
        asked_subscription(Settings(min_interval=60), request, "subscribe")
    assert re.fullmatch(
        r"Cannot subscribe: interval: 60 to [\d,]+ seconds are allowed\. You asked for 5s; .*"
        r" Also documentUrl: The provided document URL is invalid\."
        r" Also keywords: You need to provide at least one valid keyword\.",
        str(refusal.value),
    )
