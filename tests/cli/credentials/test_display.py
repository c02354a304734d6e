"""What ``vokter credentials list`` prints."""

import sys

import pytest

from schemas.records.credentials import SealedCredentials
from streams.cli.credentials.commands import print_credentials

NAME, SITE = "intranet-of-the-olympus", "https://intranet.olympus.example.org:8443"


def test_names_and_sites_are_whole_on_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    row = SealedCredentials("default", NAME, "header", SITE, set_at=0, used_at=60_000)
    print_credentials([row, SealedCredentials("default", "n", "basic", "\x1b[2J", 0)], 120_000)
    out = capsys.readouterr().out
    lines = [line.split("│") for line in out.splitlines() if "│" in line]
    assert "".join(cells[3].strip() for cells in lines) == SITE + r"\x1b[2J"
    assert "".join(cells[1].strip() for cells in lines) == NAME + "n"
    assert lines[0][4].strip() == "2m ago"
    assert "…" not in out


def test_what_is_not_on_a_terminal_has_a_line_for_each_row(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [SealedCredentials("default", name, "basic", SITE, set_at=0) for name in "ab"]
    print_credentials(rows, 120_000)
    assert capsys.readouterr().out.splitlines() == [
        "name\tkind\tfor\tset\tlast used",
        f"a\tbasic\t{SITE}\t2m ago\tnever",
        f"b\tbasic\t{SITE}\t2m ago\tnever",
    ]
