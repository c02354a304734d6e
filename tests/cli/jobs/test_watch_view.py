"""What a watch shows of changes, failures and its end."""

from dataclasses import replace

import pytest

from connectors.stores.pages import ListedSubscription
from schemas.changes import Diff
from streams.cli.jobs.watch_view import StatusLines, WatchEnded, show
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription

URL = "https://example.org/giants"
WELL = ListedSubscription(subscription(), "active", None, None, None, 1, 0, None)
MISSING = replace(WELL, failures=1, last_error="HTTP 404")


def test_a_failure_is_said_once_and_so_is_its_end() -> None:
    lines = StatusLines(URL)
    looks = (None, WELL, MISSING, replace(MISSING, failures=2), WELL, WELL)
    said = [list(lines.news(look)) for look in looks]
    assert [len(each) for each in said] == [0, 0, 1, 0, 1, 0]
    assert said[2][0].startswith(f"Cannot read {URL}: HTTP 404.")
    assert said[4] == [f"{URL} can be read again."]


def test_what_a_page_waits_for_is_said_once_until_it_is_fetched() -> None:
    lines = StatusLines(URL)
    waits = replace(WELL, waiting_since=1, waiting_for="no process was free")
    still = replace(waits, waiting_for="its host")
    said = [list(lines.news(look)) for look in (waits, still, WELL, still)]
    assert said[0] == [f"{URL} is due and waits: no process was free."]
    assert [len(each) for each in said] == [1, 0, 0, 1]


def test_another_reason_is_said() -> None:
    lines = StatusLines(URL)
    refused = replace(MISSING, last_error="robots.txt forbids it")
    assert [len(list(lines.news(look))) for look in (MISSING, refused)] == [1, 1]


def test_a_watch_that_expired_ends_with_its_reason() -> None:
    ended = replace(MISSING, state="expired", reason="failed 10 times in a row")
    with pytest.raises(WatchEnded, match=r"failed 10 times in a row\. Its last failure: HTTP 404"):
        list(StatusLines(URL).news(ended))


def test_a_timeout_ends_the_watch() -> None:
    with pytest.raises(WatchEnded, match="failed too often"):
        show(replace(NOTIFICATION, status="timeout", diffs=()))


def test_escape_sequences_of_a_page_do_not_reach_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    diff = Diff("added", "argus", "argus\x1b[2J", "the\x1b]0;title\x07 argus\x1b[2J \x9b31m sleeps")
    show(replace(NOTIFICATION, diffs=(diff,)))
    out = capsys.readouterr().out
    assert "argus" in out
    assert not set(out) & {"\x1b", "\x07", "\x9b"}
