"""The pages that a ``vokter reprocess`` commands to be read again, and how many at a time."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from schemas.records.page_requests import PageRequest
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Selector, ViewOptions, WatchedView
from streams.app import HISTORY
from streams.cli.app import app
from streams.cli.jobs import reprocess_pages
from streams.cli.jobs.reprocess_pages import (
    MAX_IN_HAND,
    AskedPages,
    NothingKept,
    PagesInHand,
    commands_for,
)
from streams.values.views import watched_view

URL, NOW = "http://d.test/", 1_800_000_000_000
PART = Options(view=ViewOptions(select=(Selector(css="p"),)))
POSTED = Options(view=ViewOptions(method="POST", body="q=zeus"))
ALL = AskedPages(None, Options(), "default", None, replace=False)
ONE = replace(ALL, url="HTTP://d.test")


class Pages:
    """Subscriptions as a store has them."""

    def __init__(self, *several: tuple[str, Options]) -> None:
        self.subscriptions = [
            Subscription(str(at), "w", "default", url, url, Receiver(session="me"), (), options, 0,
                         view_id=watched_view(options, "default").id)
            for at, (url, options) in enumerate(several)
        ]  # fmt: skip

    async def pages(self, after: tuple[str, str], limit: int) -> list[tuple[str, str]]:
        found = {(each.url, each.view_id) for each in self.subscriptions}
        return sorted(each for each in found if each > after)[:limit]

    async def subscribers(self, url: str, view: str | None, limit: int) -> list[Subscription]:
        found = [each for each in self.subscriptions if each.url == url]
        return [each for each in found if view in (None, each.view_id)][:limit]


async def commands(pages: Pages, asked: AskedPages) -> list[Reprocess]:
    return [each async for each in commands_for(pages, asked)]  # type: ignore[arg-type]  # less than a store


async def test_all_pages_are_read_once_in_each_view(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reprocess_pages, "PAGES_AT_ONCE", 1)
    pages = Pages((URL, Options()), (URL, Options()), (URL, PART), ("http://e.test/", POSTED))
    found = await commands(pages, ALL)
    assert [(each.url, each.watched.view) for each in found] == [
        (URL, watched_view(Options(), "default").view),
        (URL, watched_view(PART, "default").view),
        ("http://e.test/", watched_view(POSTED, "default").view),
    ]
    assert all(each.view == each.watched.id and not each.replace for each in found)
    assert len({each.run for each in found}) == 1


async def test_one_page_is_read_in_its_views_as_far_back_as_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reprocess_pages, "now", lambda: NOW)
    pages = Pages((URL, Options()), (URL, PART), ("http://e.test/", Options()))
    found = await commands(pages, replace(ONE, since=60, replace=True))
    assert [(each.url, each.view) for each in found] == [
        (URL, ""), (URL, watched_view(PART, "default").id)
    ]  # fmt: skip
    assert {(each.since, each.replace) for each in found} == {(NOW - 60_000, True)}


async def test_another_view_is_tried_on_what_was_requested_alike() -> None:
    pages = Pages((URL, POSTED), (URL, Options()))
    (found,) = await commands(pages, replace(ONE, options=PART))
    assert found.view == ""
    assert found.watched == watched_view(PART, "default")


@pytest.mark.parametrize(
    ("pages", "asked", "says"),
    [
        (Pages(), ALL, "no page is watched"),
        (Pages(("http://e.test/", Options())), ONE, "nobody watches HTTP://d.test"),
        (Pages((URL, POSTED)), replace(ONE, options=PART), "default has no subscription of"),
    ],
)
async def test_where_there_is_nothing_the_error_says_what(
    pages: Pages, asked: AskedPages, says: str
) -> None:
    with pytest.raises(NothingKept, match=says):
        await commands(pages, asked)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name one URL, or --all"),
        (["d.test", "--all"], "name one URL, or --all"),
        (["--all", "--select", "p"], "another view is tried for one URL"),
        (["d.test", "--select", "p", "--apply"], "replaces no text"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[Any], says: str) -> None:
    result = CliRunner().invoke(app, ["reprocess", *arguments])
    assert result.exit_code == 2
    assert says in " ".join(result.output.replace("│", " ").split())


def test_a_plain_request_is_that_of_a_page_that_is_only_read() -> None:
    assert watched_view(PART, "default").view.request == PageRequest()


def command(number: int) -> Reprocess:
    return Reprocess("run", f"http://d.test/{number}", "", WatchedView())


def result(number: int, run: str = "run") -> Reprocessed:
    return Reprocessed(run, f"http://d.test/{number}", "", ())


async def test_another_page_is_commanded_once_there_is_the_first_result_of_one() -> None:
    in_hand = PagesInHand()
    for number in range(MAX_IN_HAND):
        await in_hand.begin(command(number))
    next_one = asyncio.create_task(in_hand.begin(command(MAX_IN_HAND)))
    await asyncio.sleep(0)
    assert not in_hand.end(result(0, "of somebody else"))
    await asyncio.sleep(0)
    assert not next_one.done()
    assert in_hand.end(result(0))
    await next_one
    assert not in_hand.end(result(0)), "one that was read twice"
    assert all(in_hand.end(result(1 + number)) for number in range(MAX_IN_HAND))
    assert not in_hand


def test_the_pages_of_a_command_leave_a_worker_capacity_for_backfills() -> None:
    assert HISTORY.max_in_flight > 2 * MAX_IN_HAND
