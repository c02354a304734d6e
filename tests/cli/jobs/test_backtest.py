"""What ``vokter backtest`` prints."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.records.captures import Capture
from schemas.records.history import ChangeHistory
from streams.agents.history.backtest import Backtest
from streams.agents.history.backtest_archives import ArchivedHistory
from streams.agents.history.backtest_tally import Tally
from streams.cli.jobs.backtest import (
    ShownPart,
    archive_lines,
    backtest_lines,
    print_backtest,
)
from streams.cli.jobs.refusals import Refused
from streams.settings import Settings
from streams.values.steps import completed
from tests.effects.test_backtest import asked, begun, change, kept, request_for

NOW = 10 * 86_400_000
DAY = 86_400_000


def found(limit: int = 10, **more: object) -> Backtest:
    """Three days of a page, matched with a subscription."""
    tally = Tally(asked("zeus", "io", ignore_case=True), limit)
    for day, text in ((9, "Zeus wakes\x1b[31m."), (8, "Hera wakes."), (7, "Zeus sleeps.")):
        completed(tally.look(change(day * DAY, text, title="Giants")))
    return Backtest(tally, since=0, history=ChangeHistory((), None, 6 * DAY, None), **more)  # type: ignore[arg-type]


def printed(result: Backtest) -> list[str]:
    return [line.plain.strip() for line in backtest_lines(result, NOW, is_marked=False)]


def test_each_keyword_has_a_line_and_the_newest_notifications_follow() -> None:
    assert printed(found()) == [
        "url https://example.org/giants",
        "history 3 changes since 4d ago",
        "keyword zeus: 2 notifications, the last 1d ago",
        "keyword io: none",
        "",
        "1d ago",
        "Giants",
        r"added [zeus] Zeus wakes\x1b[31m.",
        "",
        "3d ago",
        "Giants",
        "added [zeus] Zeus sleeps.",
    ]


def test_what_was_left_out_is_said() -> None:
    lines = printed(found(1, stopped="time"))
    assert lines[2] == "older changes were left: this is as long as one backtest takes"
    assert lines[-1] == "… 1 more notifications; --limit prints more."


def test_a_page_without_history_says_so() -> None:
    none = Backtest(Tally(asked("zeus"), 10), since=0)
    assert printed(none)[1] == (
        "history none: default has not subscribed to this page in this view"
    )


async def test_the_store_of_a_deployment_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.cli.jobs.backtest.now", lambda: 9 * DAY)
    monkeypatch.setattr("streams.effects.backtest.now", lambda: 9 * DAY)
    settings = Settings(data_dir=tmp_path, store=f"sqlite:{tmp_path / 'store.db'}", retention=30)
    async with kept(tmp_path, [begun(asked("x")), *(change(n * DAY, "Zeus.") for n in (2, 7))]):
        shown = ShownPart(since=3 * 86_400, limit=10, is_json=True)
        await print_backtest(settings, request_for("Zeus"), shown)
        answer = json.loads(capsys.readouterr().out)
        assert [each["at"] for each in answer["notifications"]] == ["1970-01-08T00:00:00.000Z"]
        await print_backtest(settings, request_for("Zeus"), ShownPart(None, 10))
        assert "keyword Zeus: 2 notifications, the last 2d ago" in capsys.readouterr().out
        with pytest.raises(Refused, match="Cannot backtest: You need to provide"):
            await print_backtest(settings, request_for("?!"), ShownPart(None, 10))


def test_a_backtest_of_archives_says_what_was_read_and_what_was_left_out() -> None:
    captures = [Capture(at * DAY, "a.warc", at) for at in (1, 2, 3)]
    history = ArchivedHistory(captures, skipped=1, reasons=["a.warc at byte 2: HTTP 503"])
    tally = Tally(asked("zeus"), 10)
    result = Backtest(tally, 0, ChangeHistory((), None, DAY, 3 * DAY))
    lines = [str(line).strip() for line in archive_lines(history, result, 4 * DAY, is_marked=False)]
    assert lines == [
        f"url {tally.subscription.document_url}",
        "archive 3 captures, 3d ago to 1d ago",
        "1 capture left out:",
        "a.warc at byte 2: HTTP 503",
        "history 0 changes since 3d ago",
        "keyword zeus: none",
    ]
    none = replace(result, history=None)
    [_, line] = archive_lines(ArchivedHistory(), none, 4 * DAY, is_marked=False)
    assert "none of its captures is of this address" in str(line)
