"""Notifications of a rule or a summary go by way of judge, no others, and they are the same."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.codec import wire
from schemas.codec.body import body
from schemas.records import requests
from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentUnreachable
from schemas.records.judgements import Judge, Judging
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from tests.agents.history.test_backfill import ASKED, TEXTS, Found, Register, granted
from tests.fakes.regions import added
from tests.harness.percolation import Percolation

PAGE = "https://a.example.org/"
HOOK = Receiver("https://client.example/hook")
EVERYWHERE = "pages:*"
WAYS: list[dict[str, Any]] = [
    {"rule": "only gods"},
    {"summary": True},
    {"rule": "only gods", "summary": True, "summary_wish": "as a table", "hold_unjudged": 60},
]


def asked(document: str, **options: Any) -> Subscribe:
    return Subscribe(document, HOOK, "r1", keywords=("Zeus",), options=Options(**options))


def news(watch: str, number: int = 1) -> DocumentChanged:
    regions = (added("Zeus sings."),)
    return DocumentChanged(f"c{number}", PAGE, watch, 1, 0, "text/html", "en", regions, 10_000_000)


def after(document: str, **options: Any) -> Percolation:
    """Subscribe, and let the page change."""
    found = Percolation()
    watcher = Subscribe(PAGE, Receiver("https://client.example/other"), "r0", keywords=("io",))
    watch = found.ask(watcher).watch
    found.ask(asked(document, **options))
    found.change(news(watch.id))
    return found


@pytest.mark.parametrize("document", [PAGE, EVERYWHERE])
@pytest.mark.parametrize("options", WAYS)
def test_a_notification_with_a_rule_or_a_summary_is_judged_first_and_is_else_the_same(
    document: str, options: dict[str, Any]
) -> None:
    plain, judged = after(document), after(document, **options)

    assert plain.judgements == []
    assert judged.notifications == []
    [send], [notified] = judged.judgements, plain.notifications
    assert isinstance(send.record, Judge)
    assert send.record.notification == notified
    assert body(send.record.notification) == body(notified)
    assert (send.key, send.record.url) == (PAGE, PAGE)
    assert send.record.judging == Judging(
        rule=options.get("rule", ""),
        summarizes=options.get("summary", False),
        wish=options.get("summary_wish", ""),
        hold_s=options.get("hold_unjudged", 0),
    )


def test_what_is_no_news_keeps_its_order_and_a_test_goes_its_own_way() -> None:
    found = after(PAGE, rule="only gods")
    [watch] = {each.record.notification.watch for each in found.judgements}
    found.ask(requests.Test(PAGE, HOOK, "r2"))
    lost = DocumentUnreachable("c2", PAGE, watch, 2, "", "HTTP 500", 10_000_001, "", 10, 10)
    found.change(lost)

    assert [each.test for each in found.notifications if each.receiver == HOOK] == [True]
    statuses = [each.record.notification.status for each in found.judgements]
    assert statuses == ["ok", "timeout"]


async def test_history_is_judged_too() -> None:
    ruled = replace(ASKED, options=replace(ASKED.options, rule="only giants"))
    plain = await Found(TEXTS).of(granted(Register().subscription))
    judged = await Found(TEXTS).of(granted(Register(ruled).subscription))

    assert [each.notification for each in judged] == plain
    assert {each.judging.rule for each in judged} == {"only giants"}


def test_a_notification_without_a_rule_has_the_bytes_that_it_had() -> None:
    [notified] = after(PAGE).notifications
    said = replace(notified, verdict="pass", because="It says so.", summary="Zeus sings.")

    assert not {b"verdict", b"because", b"summary"} & set(body(notified).split(b'"'))
    assert said.id == notified.id
    assert wire.decode(wire.encode(said), type(said)) == said
