"""A key is created with what follows from it."""

import json
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from typer.testing import CliRunner

from connectors.access.keys import ApiKey, change_keys, load_keys, new_key, save_keys
from streams.cli.app import app


def test_the_first_key_says_which_key_sees_what_was_subscribed_without_one(tmp_path: Path) -> None:
    def said(folder: str, manager: str) -> str:
        line = ["keys", "add", manager, "--data-dir", str(tmp_path / folder)]
        return CliRunner().invoke(app, line).output

    needed = "vokter keys add default"
    assert needed in said("a", "me")
    assert needed not in said("a", "you"), "it is not the first"
    assert needed not in said("b", "default")


def test_the_last_key_is_removed_only_after_it_was_said_what_follows(tmp_path: Path) -> None:
    file = tmp_path / "api-keys.json"

    def run(*line: str, answer: str = "") -> str:
        command = ["keys", *line, "--data-dir", str(tmp_path)]
        return CliRunner().invoke(app, command, input=answer).output

    for manager in ("me", "you"):
        run("add", manager)
    first, last = (key.id for key in load_keys(file))
    assert "last key" not in run("remove", first)
    assert "refuses all calls" in run("remove", last)
    assert "refuses all calls" in run("remove", last, answer="n\n")
    assert [key.id for key in load_keys(file)] == [last], "nobody has agreed"
    assert f"Removed {last}" in run("remove", last, answer="y\n")
    run("add", "me")
    (other,) = (key.id for key in load_keys(file))
    said = run("remove", other, "--yes")
    assert said.index("refuses all calls") < said.index("Removed")
    assert not load_keys(file)


def test_keys_are_lines_of_json_without_their_secrets(tmp_path: Path) -> None:
    def said(*line: str) -> str:
        return CliRunner().invoke(app, ["keys", *line, "--data-dir", str(tmp_path)]).stdout

    none = CliRunner().invoke(app, ["keys", "list", "--data-dir", str(tmp_path)])
    assert "There is no key yet" in none.stderr
    secret = said("add", "me", "--per-minute", "60").split()[-1]
    (line,) = said("list", "--json").splitlines()
    (key,) = load_keys(tmp_path / "api-keys.json")
    assert json.loads(line) == {
        "id": key.id, "manager": "me", "role": "write", "subscriptions": None, "perMinute": 60,
    }  # fmt: skip
    assert secret not in line
    assert said("list").splitlines()[1] == f"{key.id}\tme\twrite\tany\t60"


def test_a_key_that_is_added_meanwhile_does_not_bring_a_removed_key_back(tmp_path: Path) -> None:
    file = tmp_path / "api-keys.json"
    kept, leaked, added = (new_key(manager, None, None)[1] for manager in ("me", "leaked", "you"))
    save_keys(file, (kept, leaked))

    def remove(keys: tuple[ApiKey, ...]) -> list[ApiKey]:
        return [key for key in keys if key != leaked]

    with ThreadPoolExecutor() as pool:

        def add(keys: tuple[ApiKey, ...]) -> tuple[ApiKey, ...]:
            removal = pool.submit(change_keys, file, remove)
            assert not wait([removal], timeout=0.1).done, "one change follows the other"
            return (*keys, added)

        change_keys(file, add)
    assert load_keys(file) == (kept, added)
