"""Watches of other tools, imported into a register without a broker between."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from connectors.imports.names import Tool
from schemas.records.faults import Refusal
from schemas.records.subscriptions import Receiver
from streams.agents.match.register.requests import check
from streams.agents.match.register.transfer import read
from streams.cli.app import app
from streams.cli.jobs.imports import Import, asked_watches, watch_outcomes
from streams.effects.rules import rules
from streams.settings import Settings
from tests.cli.jobs.test_imports import Deciding

FILES = Path(__file__).parents[2] / "connectors" / "imports" / "files"
JOBS = b"""
url: https://a.example/
filter: [html2text, {grep: zeus}]
---
command: uptime
---
url: https://b.example/
timeout: 5
"""
SESSION = Receiver(session="me")


async def imported(
    register: Deciding, data: bytes, receiver: Receiver = SESSION, *, change: bool = False
) -> list[dict[str, Any]]:
    client: Any = register
    importing = Import(client, dict(register.known), None, change, None)
    asked = asked_watches("urlwatch", BytesIO(data), None, receiver, 600)
    return [each async for each in watch_outcomes(asked, importing)]


async def test_each_watch_has_a_result_with_what_was_taken_differs_and_was_left() -> None:
    found = await imported(Deciding(), JOBS)
    assert [each["watch"] for each in found] == ["1", "2", "3"]
    assert [each["result"] for each in found] == ["subscribed", "left", "subscribed"]
    assert found[0]["documentUrl"] == "https://a.example/"
    assert found[0]["session"] == "me"
    assert "grep: zeus became keywords." in found[0]["took"]
    assert found[1]["left"] == ("the job: Vokter runs no commands.",)
    assert any(each.startswith("timeout: ") for each in found[2]["differs"])


async def test_a_file_that_is_imported_again_changes_nothing() -> None:
    register = Deciding()
    await imported(register, JOBS)
    again = await imported(register, JOBS)
    assert [each["result"] for each in again] == ["unchanged", "left", "unchanged"]


TWICE = b"url: https://a.example/\n---\nurl: https://A.example\nfilter: [{grep: zeus}]"


@pytest.mark.parametrize("change", [False, True])
async def test_two_watches_of_one_url_never_overwrite_each_other(change: bool) -> None:
    first, second = await imported(Deciding(), TWICE, change=change)
    assert first["result"] == "subscribed"
    assert second["result"] == "left"
    assert "watch 1 has this URL and name" in second["left"][-1]


NAMED = (
    b"url: https://a.example/\nname: '  Zeus\t today '\n---\nurl: https://a.example/\nname: Hera"
)


async def test_names_become_names_by_which_two_watches_have_one_url() -> None:
    register = Deciding()
    first, second = await imported(register, NAMED)
    assert [(each["result"], each["name"]) for each in (first, second)] == [
        ("subscribed", "Zeus today"),
        ("subscribed", "Hera"),
    ]
    assert "name became name." in first["took"]
    again = await imported(register, NAMED)
    assert [each["result"] for each in again] == ["unchanged", "unchanged"]


async def test_what_an_earlier_release_imported_without_a_name_is_not_imported_again() -> None:
    register = Deciding()
    await imported(register, b"url: https://a.example/")
    found = await imported(register, NAMED)
    assert [each["result"] for each in found] == ["unchanged", "subscribed"]


@pytest.mark.parametrize(
    "receiver", [Receiver(session="me-{watch}"), Receiver("https://hook.example/?w={watch}")]
)
async def test_each_watch_may_have_a_receiver_of_its_own(receiver: Receiver) -> None:
    found = await imported(Deciding(), TWICE, receiver)
    assert [each["result"] for each in found] == ["subscribed", "subscribed"]
    named = [each.get("session") or each["clientUrl"] for each in found]
    assert [name[-1] for name in named] == ["1", "2"]


def test_a_dry_run_prints_requests_and_needs_no_broker() -> None:
    arguments = ["import", "--from", "changedetection", "--session", "me", "--dry-run"]
    run = CliRunner().invoke(app, [*arguments, str(FILES / "changedetection.zip")])
    assert run.exit_code == 0, run.output
    assert run.output.count('"request": {"interval": ') == 11
    assert run.output.count('"request": null') == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--from", "urlwatch"],
        ["--from", "urlwatch", "--session", "me", "--to", "https://a.example/"],
        ["--from", "wget", "--session", "me"],
        ["--session", "me"],
        ["--dry-run"],
    ],
)
def test_options_that_do_not_fit_together_are_refused(arguments: list[str]) -> None:
    run = CliRunner().invoke(app, ["import", *arguments, str(FILES / "urlwatch.yaml")])
    assert run.exit_code == 2


@pytest.mark.parametrize("tool", get_args(Tool))
def test_the_register_takes_every_request(tool: Tool, tmp_path: Path) -> None:
    allowed = rules(Settings(data_dir=tmp_path))
    (file,) = FILES.glob(f"{tool}.*")
    asked = asked_watches(tool, BytesIO(file.read_bytes()), None, Receiver(session="{watch}"), 600)
    for each in asked:
        if each.request is not None:
            request = read(json.dumps(each.request).encode(), None).request
            assert not isinstance(check(request, allowed), Refusal), each


def test_an_unknown_tool_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(app, ["import", "--from", "foo", str(tmp_path / "file")])
    assert result.exit_code == 2
    said = "'foo' is not one of 'changedetection', 'urlwatch', 'webchanges'."
    shown = " ".join(result.output.replace("│", " ").split())
    assert f"Invalid value for '--from': {said}" in shown


def test_a_webhook_that_is_no_url_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    (tmp_path / "urls.yaml").write_bytes(JOBS)
    command = ["import", "--from", "urlwatch", str(tmp_path / "urls.yaml"), "--dry-run", "--to"]
    refused = CliRunner().invoke(app, [*command, "ftp://a.example/"])
    assert refused.exit_code == 2
    assert "no http or https URL" in " ".join(refused.output.replace("│", " ").split())
    taken = CliRunner().invoke(app, [*command, "a.example/{watch}"])
    first = json.loads(taken.stdout.splitlines()[0])
    assert first["request"]["clientUrl"] == "https://a.example/1"
