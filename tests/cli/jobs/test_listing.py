"""``vokter list`` shows what the store lists, without a broker."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from connectors.api.listed import listed_json
from connectors.stores.pages import ListedSubscription, WithoutRoom
from schemas.records.page_requests import Header
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import Quote, Selector, ViewOptions
from streams.cli.app import app
from streams.cli.jobs.listing import Filter
from streams.cli.jobs.listing_view import print_list
from tests.fakes.subscriptions import subscription

ACTIVE = ListedSubscription(subscription("s1"), "active", None, None, None, 1000, 0, None)
FAILING = replace(ACTIVE, subscription=subscription("s2"), failures=3, last_error="HTTP 404")
NAMED = subscription("s4", name="In stock")
LOST = replace(ACTIVE, subscription=NAMED, missing="nothing matches", lost_since=1000)
FLAPPING = replace(ACTIVE, subscription=subscription("s3"), flapping_until=5000)
ENDED = replace(ACTIVE, state="expired", reason="failed too often", ended=2000)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(), [ACTIVE, FAILING, LOST, FLAPPING]),
        (Filter(ended=True), [ACTIVE, FAILING, LOST, FLAPPING, ENDED]),
        (Filter(failing=True), [FAILING]),
        (Filter(client="CLIENT.test/s2"), [FAILING]),
        (Filter(url="other"), []),
        (Filter(lost=True), [LOST]),
        (Filter(flapping_at=4999), [FLAPPING]),
        (Filter(flapping_at=5000), []),
        (Filter(name="STOCK"), [LOST]),
    ],
)
def test_a_filter_admits_what_it_names(wanted: Filter, found: list[ListedSubscription]) -> None:
    several = (ACTIVE, FAILING, LOST, FLAPPING, ENDED)
    assert [each for each in several if wanted.admits(each)] == found


def test_a_line_of_json_has_the_fields_of_the_rest_api() -> None:
    shown = listed_json(FAILING, 0)
    assert (shown["id"], shown["interval"], shown["ignoreCase"]) == ("s2", 60, True)
    assert (shown["lastCheck"], shown["lastError"]) == ("1970-01-01T00:00:01.000Z", "HTTP 404")


def test_the_list_says_why_a_document_cannot_be_read_and_lets_no_text_act_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_list([replace(FAILING, last_error="HTTP 404 \x1b[2J")], 0)
    shown = capsys.readouterr()
    assert "HTTP 404 \\x1b[2J" in shown.out
    assert "every 1m, " in shown.out
    assert "\x1b" not in shown.out
    assert shown.err == "1 subscriptions.\n"


def test_the_list_says_when_somebody_is_notified(capsys: pytest.CaptureFixture[str]) -> None:
    options = Options(hours="Mon-Fri 8-18", timezone="Asia/Tokyo")
    print_list([replace(ACTIVE, subscription=replace(ACTIVE.subscription, options=options))], 0)
    assert "notified at Mon-Fri 8-18 (Asia/Tokyo)" in capsys.readouterr().out


VIEW = ViewOptions(
    select=(Selector(css="#price"), Selector(quote=Quote("Argus " * 20))),
    ignore=(r"\d+ views",),
    method="POST",
    headers=(Header("X-Team", "s3cret"),),
    body="{}",
)


def test_the_list_has_title_view_and_receiver_with_long_values_shortened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = tuple("a" * 50 + str(number) for number in range(5))
    options = Options(interval=60, content_type="text/html", view=VIEW)
    chosen = subscription("s1", keywords=words, options=options)
    print_list([replace(ACTIVE, subscription=chosen, title="Giants\x1b " * 20)], 61_000)
    head, view, receiver, last = capsys.readouterr().out.splitlines()
    assert head.startswith(r"active    http://EXAMPLE.test  Giants\x1b Giants")
    assert view.strip().startswith("documentContentType text/html; select #price, Argus Argus")
    assert view.endswith(r"; ignore \d+ views; method POST; headers X-Team; body of 2 characters")
    assert receiver.endswith("a2, … → http://client.test/s1")
    assert last.strip() == "every 1m, last check 1m ago, id s1"
    assert max(map(len, (head, view, receiver, last))) < 200
    assert listed_json(replace(ACTIVE, subscription=chosen), 0)["keywords"] == list(words)


def test_what_is_lost_says_since_when_and_what_is_only_missing_does_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_list([LOST, replace(LOST, lost_since=None)], 61_000)
    head, why, *rest = capsys.readouterr().out.splitlines()
    assert head.startswith("lost      http://EXAMPLE.test")
    assert why.strip() == "lost 1m ago: nothing matches"
    assert rest[-3].strip() == "nothing matches"
    assert listed_json(LOST, 0)["lostSince"] == "1970-01-01T00:00:01.000Z"


def test_a_session_is_listed_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = subscription("s1", receiver=Receiver(session="me"))
    print_list([replace(ACTIVE, subscription=chosen)], 0)
    assert "zeus, père → session me" in capsys.readouterr().out


def test_a_page_that_is_flapping_says_so_and_what_to_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert [listed_json(FLAPPING, now)["flapping"] for now in (4999, 5000)] == [True, False]
    print_list([FLAPPING], 4999)
    assert "the page keeps going back to earlier texts" in capsys.readouterr().out
    print_list([FLAPPING], 5000)
    assert "earlier texts" not in capsys.readouterr().out


def test_what_is_stopped_says_for_how_long_that_can_be_undone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stopped = replace(subscription(), stopped=1_000, paused=True)
    print_list([replace(ACTIVE, subscription=stopped, state="stopped")], 19_500)
    shown = capsys.readouterr().out
    assert shown.startswith("stopped ")
    assert "ends in 41 s; before that 'vokter undo' keeps it" in shown


def test_a_crawl_says_how_many_pages_have_no_room_and_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    full = replace(ACTIVE, without_room=WithoutRoom(12, 1_000))
    at_least = replace(ACTIVE, without_room=WithoutRoom(1_000, 1_000))
    print_list([full, at_least], 61_000)
    shown = capsys.readouterr().out
    assert "12 pages are left out: all crawls of its manager cover as many pages" in shown
    assert "(VOKTER_MAX_PAGES_PER_MANAGER), last 1m ago" in shown
    assert "1,000 pages or more are left out" in shown
    found = listed_json(full, 0)["pagesWithoutRoom"]
    assert found == {"count": 12, "at": "1970-01-01T00:00:01.000Z"}
    assert listed_json(ACTIVE, 0)["pagesWithoutRoom"] is None


def test_a_store_that_does_not_exist_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VOKTER_STORE", raising=False)
    result = CliRunner().invoke(app, ["list", "--data-dir", str(tmp_path)])
    assert "there is no store at" in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_new_store_lists_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOKTER_STORE", f"sqlite:{tmp_path / 'store.db'}")
    (tmp_path / "store.db").touch()
    result = CliRunner().invoke(app, ["list", "--json"])
    assert (result.exit_code, result.stdout) == (0, "")
    assert json.loads(json.dumps(listed_json(ENDED, 0)))["reason"] == "failed too often"


def test_what_has_ended_says_why_when_and_when_it_was_checked_last(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_list([ENDED, replace(ENDED, last_check=None)], 62_000)
    first, second = capsys.readouterr().out.split("expired")[1:]
    assert "failed too often" in first
    assert "ended 1m ago, last check 1m ago, id s1" in first
    assert "ended 1m ago, id s1" in second
