"""Lines imported into a register without a broker between."""

import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from connectors.kafka.requests import RequestTimedOut
from schemas.codec import wire
from schemas.records.codes import Code
from schemas.records.requests import Cancel, ClientRequest, Pause
from schemas.records.table_rows import NotifiedThrough, Registration
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.memory import NO_REGISTRATIONS
from streams.agents.match.register.requests import Rules
from streams.cli.jobs import imports
from streams.cli.jobs.imports import AHEAD, Import, Known, registered_rows
from streams.settings import Settings
from tests.fakes.events import event

URL = "http://document.test/"
HOOK = "http://client.test/"
KEY = b"k" * 32


class Deciding:
    """The register itself; silent to requests about ``mute``, and ``deaf_to`` those of a kind."""

    def __init__(self) -> None:
        self.known: Known = {}
        self.mute = ""
        self.deaf_to: tuple[type, ...] = ()
        self._match = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
        self._match.begin(0)
        self._offset = 0

    async def ask(self, request: ClientRequest) -> Any:
        if request.document_url == self.mute or isinstance(request, self.deaf_to):
            raise RequestTimedOut("no worker answered")
        self._offset += 1
        outcome = self._match.decide(event(request, offset=self._offset, timestamp=self._offset))
        for put in outcome.puts:
            assert put.record is not None
            self.known[put.key] = wire.encode(put.record)
        return next(iter(outcome.sends)).record


def line(page: str = URL, **fields: Any) -> bytes:
    body = {"documentUrl": page, "clientUrl": HOOK, "keywords": ["zeus"]} | fields
    return json.dumps(body).encode() + b"\n"


async def imported(
    register: Deciding, *lines: bytes, change: bool = False, key: bytes | None = None
) -> list[dict[str, Any]]:
    client: Any = register
    known = {name: row for name, row in register.known.items() if _has_subscription(row)}
    return [each async for each in Import(client, known, None, change, key).all(lines)]


def _has_subscription(row: bytes) -> bool:
    return wire.decode(row, Registration).subscription is not None


def results(outcomes: list[dict[str, Any]]) -> list[str]:
    return [outcome["result"] for outcome in outcomes]


async def test_what_was_imported_once_is_unchanged_when_it_is_imported_again() -> None:
    register, lines = Deciding(), (line(), b"\n", line(URL + "2", paused=True))
    first = await imported(register, *lines)
    assert results(first) == ["subscribed", "subscribed"]
    assert [outcome["line"] for outcome in first] == [1, 3]
    again = await imported(register, *lines)
    assert results(again) == ["unchanged", "unchanged"]
    assert [each["id"] for each in again] == [each["id"] for each in first]
    paused = [wire.decode(row, Registration).subscription.paused for row in register.known.values()]
    assert paused == [False, True]


async def test_what_differs_is_changed_only_if_that_is_asked_for() -> None:
    register = Deciding()
    (first,) = await imported(register, line())
    other = line(interval=90, paused=True)
    (left,) = await imported(register, other)
    assert (left["result"], left["id"]) == ("different", first["id"])
    (changed,) = await imported(register, other, change=True)
    assert (changed["result"], changed["id"]) == ("replaced", first["id"])
    assert results(await imported(register, other)) == ["unchanged"]
    (resumed,) = await imported(register, line(interval=90), change=True)
    assert resumed["result"] == "replaced"
    assert results(await imported(register, line(interval=90))) == ["unchanged"]


async def test_each_line_that_cannot_be_imported_says_why_and_the_others_are() -> None:
    register = Deciding()
    register.mute = URL + "mute"
    lines = (b"{}x", line("nowhere"), line(interval=1), line(register.mute), line(), line())
    outcomes = await imported(register, *lines)
    assert results(outcomes) == [
        "invalid", "refused", "refused", "unanswered", "subscribed", "different",
    ]  # fmt: skip
    assert [outcome.get("code") for outcome in outcomes[1:3]] == [1, 6]
    assert "interval" in outcomes[2]["detail"]
    assert outcomes[1]["clientUrl"] == HOOK


async def test_a_pause_without_an_answer_is_made_by_the_import_that_is_proposed() -> None:
    register, paused = Deciding(), line(paused=True)
    register.deaf_to = (Pause,)
    (first,) = await imported(register, paused)
    assert first["result"] == "unanswered"
    assert "import it again, with --replace" in first["detail"]
    register.deaf_to = ()
    assert results(await imported(register, paused, change=True)) == ["replaced"]
    assert results(await imported(register, paused)) == ["unchanged"]


async def test_a_refused_pause_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    register = Deciding()
    decide = register.ask

    async def ask(request: ClientRequest) -> Any:
        if isinstance(request, Pause):
            await decide(Cancel(request.document_url, request.receiver, manager=request.manager))
        return await decide(request)

    monkeypatch.setattr(register, "ask", ask)
    (outcome,) = await imported(register, line(paused=True))
    assert (outcome["result"], outcome["code"]) == ("refused", Code.NO_SUCH_SUBSCRIPTION)


async def test_results_come_in_the_order_of_the_lines() -> None:
    count = AHEAD + 7
    outcomes = await imported(Deciding(), *(line(f"{URL}{n}") for n in range(count)))
    assert [outcome["line"] for outcome in outcomes] == list(range(1, count + 1))


async def test_secrets_are_told_of_webhooks_and_only_where_they_are_asked_for() -> None:
    lines = line(), line(clientUrl=None, session="me")
    outcomes = await imported(Deciding(), *lines, key=KEY)
    assert outcomes[0]["secret"].startswith("whsec_")
    assert "secret" not in outcomes[1]
    assert all("secret" not in outcome for outcome in await imported(Deciding(), *lines))


@pytest.mark.parametrize("beginning", NO_REGISTRATIONS)
async def test_a_row_that_is_no_registration_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    register = Deciding()
    await imported(register, line())
    noted = wire.encode(NotifiedThrough("change", 1, "subscription"))
    rows = {beginning + URL.encode(): noted, **register.known}

    async def since(*_: Any) -> AsyncIterator[SimpleNamespace]:
        for key, value in rows.items():
            yield SimpleNamespace(key=key, value=value)

    monkeypatch.setattr(imports, "messages_since", since)
    assert await registered_rows(Settings()) == register.known
