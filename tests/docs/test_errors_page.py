"""The page of errors lists every text of the code, and no other."""

import re
from collections.abc import Callable

import pytest

from connectors import webhook
from schemas.codec.wire import Undecodable
from streams.agents.deliver import challenges
from streams.agents.deliver.outbox.failures import why_ended, why_gone
from streams.agents.deliver.sending import ShipmentSender
from streams.cli.options import STOPS
from streams.engine.acks.decoding import FatalEvent
from streams.engine.life.loop_watch import BROKEN
from tests.docs.error_texts import (
    arguments,
    channel_texts,
    fetch_texts,
    loss_texts,
    raised,
    record_texts,
    store_texts,
    texts,
)
from tests.docs.reading import ROOT, names, rows, text

PAGE = text("docs/errors.md")
REASONS = [
    ("refusal", store_texts),
    ("reason", fetch_texts),
    ("missing", loss_texts),
    ("reason of a channel", channel_texts),
    ("text", record_texts),
]
"""Reasons with a remedy. Of the others ``make schemas`` writes lists: see test_reference.py."""


def listed(header: str) -> set[str]:
    """Return the texts in the first column of a table."""
    return {name for row in rows(PAGE, header) for name in names(row[0])}


def test_the_page_lists_every_exit_status() -> None:
    exits = re.compile(r"(?:sys\.exit|Exit)\((\d+)\)")
    rooms = [file for room in ("cli", "engine") for file in (ROOT / "streams" / room).rglob("*.py")]
    found = {status for file in rooms for status in exits.findall(file.read_text("utf-8"))}
    stops = {str(128 + number) for number in STOPS}
    assert listed("status") == found | stops | {"0", str(BROKEN)}


@pytest.mark.parametrize(("header", "found"), REASONS)
def test_a_reason_with_a_remedy_is_one_of_the_code(
    header: str, found: Callable[[], set[str]]
) -> None:
    documented = {reason for row in rows(PAGE, header) for reason in names(row[0])}
    assert documented <= found() | {"credentials … do not exist (vokter credentials set …)"}


def test_the_page_lists_every_reason_of_a_failed_delivery() -> None:
    deliveries = PAGE.partition("\n## Deliveries\n")[2]
    documented = {row[0].strip("`") for row in rows(deliveries, "reason")}
    assert documented == (
        texts(why_ended)
        | texts(why_gone)
        | texts(webhook._failed)
        | arguments("streams/agents/deliver", "failed")
        | texts(challenges.ProofHandler._gave_up)
    )
    assert texts(ShipmentSender._refused) <= names(deliveries)


def test_the_page_lists_every_class_of_dead_letters() -> None:
    places = ("match", "ticker", "record.py", "deliver")
    ours = {name for place in places for name in raised(f"streams/agents/{place}")}
    ours |= raised("streams/effects/history.py")
    assert listed("class") == ours | {Undecodable.__name__, FatalEvent.__name__, "NotHandled"}
