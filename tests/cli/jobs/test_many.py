"""``vokter check``, ``pause``, ``resume`` and ``stop`` of subscriptions that the store lists."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from connectors.kafka import requests
from connectors.requests import bulk
from connectors.stores.opening import open_store
from schemas.records.codes import Code
from schemas.records.requests import Check, ClientRequest
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Options, Subscription
from streams.cli.app import app
from streams.cli.jobs.many import MOST_UNASKED
from streams.effects import connections
from tests.fakes.subscriptions import subscription

MANY = MOST_UNASKED + 1
CHECKED_AT = 1_700_000_000_000


class Sender:
    """Grants all requests but those about a page that is refused."""

    def __init__(self) -> None:
        self.asked: list[ClientRequest] = []
        self.refused = self.unanswered = ""

    async def ask(self, request: ClientRequest) -> Any:
        self.asked.append(request)
        url = request.document_url
        if url == self.unanswered:
            raise requests.RequestTimedOut("no worker answered")
        if url == self.refused:
            return Rejected("r", request.manager, Code.PAUSED, "", url, None, 1)
        check = CHECKED_AT if isinstance(request, Check) else 0
        return Subscribed("r", subscription(), url, None, 1, check)

    @property
    def pages(self) -> list[str]:
        """The letters of the pages that were asked about."""
        return [each.document_url[8] for each in self.asked]


def watched(letter: str, tags: tuple[str, ...] = ()) -> Subscription:
    url = f"https://{letter}.test/"
    options = Options(interval=60, tags=tags)
    name = letter * 32
    return subscription(name, watch=name, document_url=url, url=url, options=options)


class Commands:
    """The commands, in a data folder with a store that lists some subscriptions."""

    def __init__(self, folder: Path, sender: Sender) -> None:
        self._folder = folder
        self.sender = sender

    def store(self, several: Sequence[Subscription]) -> None:
        async def fill() -> None:
            store = await open_store(f"sqlite:{self._folder / 'vokter.db'}")
            facts = [Subscribed("r", each, each.url, None, 1) for each in several]
            await store.read_side.record(facts)
            await store.close()

        asyncio.run(fill())

    def run(self, *line: str, answer: str = "") -> tuple[int, str]:
        self.sender.asked.clear()
        command = [*line, "--data-dir", str(self._folder)]
        found = CliRunner().invoke(app, command, input=answer)
        error = "" if found.exception is None else str(found.exception)
        return found.exit_code, found.output + error


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    sender = Sender()

    @asynccontextmanager
    async def sending(_: object, *, timeout_s: float) -> AsyncIterator[Sender]:
        assert timeout_s > requests.ANSWER_TIMEOUT_S, "a terminal waits longer than the API"
        yield sender

    monkeypatch.setenv("VOKTER_KAFKA", "127.0.0.1:9")
    monkeypatch.setattr(connections, "request_sender", sending)
    made = Commands(tmp_path, sender)
    made.store([watched("a", ("shop",)), watched("b", ("shop",)), watched("c")])
    return made


@pytest.mark.parametrize("target", ["https://b.test", "b.test", "bbbbbb", "B" * 32])
def test_a_page_or_the_beginning_of_an_id_names_a_subscription(
    commands: Commands, target: str
) -> None:
    status, said = commands.run("check", target)
    assert (status, commands.sender.pages) == (0, ["b"])
    assert "https://b.test/ is checked at 2023-11-14T22:13:20.000Z." in said


def test_a_tag_names_several(commands: Commands) -> None:
    assert commands.run("pause", "--tag", "Shop")[0] == 0
    assert commands.sender.pages == ["a", "b"]
    assert {type(each).__name__ for each in commands.sender.asked} == {"Pause"}


def test_a_receiver_narrows_what_is_meant(commands: Commands) -> None:
    to = f"http://client.test/{'b' * 32}"
    commands.run("pause", "--all", "--to", to)
    assert commands.sender.pages == ["b"]


def test_all_are_paused_and_resumed(commands: Commands) -> None:
    for action in ("pause", "resume"):
        commands.run(action, "--all")
        assert commands.sender.pages == ["a", "b", "c"]


def test_more_than_ten_are_changed_after_a_question(commands: Commands) -> None:
    commands.store([watched(letter) for letter in "defghijklmn"[: MANY - 3]])
    assert commands.run("pause", "--all", answer="n\n")[0] == 1
    assert commands.sender.asked == []
    assert commands.run("pause", "--all", answer="y\n")[0] == 0
    assert len(commands.sender.asked) == MANY
    assert commands.run("pause", "--all", "--yes")[0] == 0
    assert len(commands.sender.asked) == MANY


def test_more_than_one_is_stopped_after_a_question(commands: Commands) -> None:
    assert commands.run("stop", "--tag", "shop", answer="n\n")[0] == 1
    assert commands.sender.asked == []
    for line, undo in (("stop", True), ("cancel", False)):
        assert commands.run(line, "a.test")[0] == 0
        (asked,) = commands.sender.asked
        assert (commands.sender.pages, getattr(asked, "undo", None)) == (["a"], undo)


def test_a_stop_is_undone_for_all_that_were_stopped_and_no_others(commands: Commands) -> None:
    commands.store([replace(watched(each), stopped=9, paused=True) for each in "bc"])
    status, said = commands.run("undo")
    assert (status, commands.sender.pages) == (0, ["b", "c"])
    assert {type(each).__name__ for each in commands.sender.asked} == {"Resume"}
    assert "Watching https://b.test/ as before." in said
    assert commands.run("undo", "c.test")[0] == 0
    assert commands.sender.pages == ["c"]
    status, said = commands.run("undo", "a.test")
    assert (status, commands.sender.asked) == (1, [])
    assert "There is no subscription a.test" in said
    commands.store([watched("b"), watched("c")])
    status, said = commands.run("undo")
    assert (status, "No subscription of default was stopped in the last minute" in said) == (
        1,
        True,
    )


def test_one_that_is_refused_is_named_and_the_others_are_asked_for(commands: Commands) -> None:
    commands.sender.refused = "https://a.test/"
    status, said = commands.run("check", "--tag", "shop")
    assert (status, commands.sender.pages) == (1, ["a", "b"])
    assert "Cannot check: The subscription is paused. Resume it first." in said
    assert "https://b.test/ is checked at" in said
    assert "Of 2 requests: 1 refused." in said


def test_what_was_granted_is_said_though_another_request_gets_no_answer(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    commands.sender.unanswered = "https://a.test/"
    status, said = commands.run("check", "--all")
    assert (status, commands.sender.pages) == (1, ["a", "b"])
    assert "https://a.test/: no worker answered" in said
    assert "https://b.test/ is checked at" in said
    assert "Of 3 requests: 1 without an answer, 1 not made." in said


def test_another_manager_has_none_of_these(commands: Commands) -> None:
    status, said = commands.run("pause", "--all", "--manager", "other")
    assert (status, commands.sender.asked) == (1, [])
    assert "There is no subscription of other" in said


@pytest.mark.parametrize("line", [(), ("a.test", "--all"), ("--tag", "shop", "--all")])
def test_it_must_be_said_once_which_are_meant(commands: Commands, line: tuple[str, ...]) -> None:
    status, said = commands.run("pause", *line)
    assert (status, commands.sender.asked) == (2, [])
    assert "give one of" in said


def test_a_page_and_a_receiver_are_asked_for_without_a_store(commands: Commands) -> None:
    assert commands.run("pause", "unknown.test", "--session", "me")[0] == 0
    assert commands.sender.pages == ["u"]


def test_the_beginning_of_several_ids_changes_nothing(commands: Commands) -> None:
    twin = subscription("a" * 31 + "b", document_url="https://x.test/", url="https://x.test/")
    commands.store([twin])
    status, said = commands.run("stop", "aaaa")
    assert (status, commands.sender.asked) == (1, [])
    assert "2 subscriptions of default begin with aaaa; use more" in said
    assert commands.run("check", "a" * 31 + "b")[0] == 0
    assert commands.sender.pages == ["x"]


def test_the_pages_of_what_does_not_crawl_are_not_counted(commands: Commands) -> None:
    status, said = commands.run("pages", "aaaa")
    assert (status, "follows no links: it covers https://a.test/ alone" in said) == (1, True)


def test_what_names_nothing_is_said(commands: Commands) -> None:
    status, said = commands.run("check", "nobody")
    assert (status, commands.sender.asked) == (1, [])
    assert "There is no subscription nobody of default" in said
    assert "There is no subscription with the tag none" in commands.run("check", "--tag", "none")[1]
