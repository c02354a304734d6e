"""A key is created with what follows from it."""

from pathlib import Path

from typer.testing import CliRunner

from streams.cli.app import app


def test_the_first_key_says_which_key_sees_what_was_subscribed_without_one(tmp_path: Path) -> None:
    def said(folder: str, manager: str) -> str:
        line = ["keys", "add", manager, "--data-dir", str(tmp_path / folder)]
        return CliRunner().invoke(app, line).output

    needed = "vokter keys add default"
    assert needed in said("a", "me")
    assert needed not in said("a", "you"), "it is not the first"
    assert needed not in said("b", "default")
