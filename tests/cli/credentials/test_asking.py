"""How ``vokter credentials set`` gets at secrets: asked for, from stdin, from files."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors.channels.channel import channel_of
from connectors.credentials.errors import InvalidCredentials
from schemas.records.channels import Digest
from schemas.records.credentials import Credentials
from streams.cli.credentials.asking import CredentialsOptions, read_credentials

SITE = "https://a.test/page"
BASIC = Credentials("basic", "https://a.test", (("Authorization", "Basic bWU6aHVzaA=="),))
LINE = "a.test\tFALSE\t/\tTRUE\t0\ts\thush"

Typed = Callable[[str], None]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Return a function that puts a text on standard input."""

    def put(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def asked(**options: Any) -> CredentialsOptions:
    none = {"url": SITE, "headers": (), "header_file": None, "basic": None}
    return CredentialsOptions(
        **{**none, "cookies": None, "storage": None, "secrets": (), **options}
    )


def test_a_password_and_the_value_of_a_header_are_read_from_stdin(typed: Typed) -> None:
    typed("hush\n")
    assert read_credentials(asked(basic="me")) == BASIC
    typed("Bearer hush\r\nseven\n")
    headers = (("Authorization", "Bearer hush"), ("X-Id", "seven"))
    expected = Credentials("header", "https://a.test", headers)
    assert read_credentials(asked(headers=("Authorization", "X-Id"))) == expected


def test_secrets_for_the_fields_of_a_form_are_read_by_their_names(typed: Typed) -> None:
    typed("me\nhush\n")
    secrets = (("user", "me"), ("password", "hush"))
    expected = Credentials("secrets", "https://a.test", secrets=secrets)
    assert read_credentials(asked(secrets=("user", "password"))) == expected


def test_the_address_of_a_channel_is_read_from_stdin_and_its_text_from_a_file(
    typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "text.txt").write_text("{{ text }}")
    typed("ntfy://hush\n")
    given = asked(url=None, is_channel=True, title="{{ url }}", body=str(tmp_path / "text.txt"))
    secrets = (("address", "ntfy://hush"), ("title", "{{ url }}"), ("body", "{{ text }}"))
    assert read_credentials(given) == Credentials("channel", "ntfy", secrets=secrets)
    typed("ntfy://hush\n")
    options = (("digest", "daily"), ("hour", "7"), ("timezone", "Europe/Berlin"))
    found = channel_of(read_credentials(asked(url=None, is_channel=True, options=options)))
    assert found.digest == Digest("daily", 7, "Europe/Berlin")


def test_at_a_terminal_they_are_asked_for_and_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prompts = []

    def getpass(prompt: str) -> str:
        prompts.append(prompt)
        return "hush"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("streams.cli.credentials.asking.getpass", getpass)
    assert read_credentials(asked(basic="me")) == BASIC
    read_credentials(asked(headers=("X-Id",)))
    assert prompts == ["Password of me: ", "Value of X-Id: "]


def test_a_value_that_was_an_argument_is_taken_with_a_warning_that_does_not_repeat_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = read_credentials(asked(headers=("X-Id: hush",)))
    assert found.headers == (("X-Id", "hush"),)
    said = capsys.readouterr().err
    assert "the value of X-Id was an argument" in said
    assert "hush" not in said


def test_files_are_read_and_stdin_for_a_dash(tmp_path: Path, typed: Typed) -> None:
    headers = tmp_path / "headers"
    headers.write_text("\ufeffX-Id: 7\r\n\r\nAuthorization: Bearer hush\n")
    found = read_credentials(asked(header_file=str(headers)))
    assert found.headers == (("X-Id", "7"), ("Authorization", "Bearer hush"))
    typed(LINE)
    (cookie,) = read_credentials(asked(url=None, cookies="-")).cookies
    assert (cookie.name, cookie.value) == ("s", "hush")
    typed('{"cookies": [{"name": "s", "value": "hush", "domain": "a.test"}]}')
    assert read_credentials(asked(url=None, storage="-")).kind == "storage"


@pytest.mark.parametrize(
    "options",
    [{}, {"basic": "me", "cookies": "-"}, {"headers": ("X-Id: 7",), "storage": "-"}],
)
def test_one_kind_of_credentials_is_expected(options: dict[str, Any], typed: Typed) -> None:
    typed("hush")
    with pytest.raises(InvalidCredentials, match="one of --header, --header-file"):
        read_credentials(asked(**options))


def test_a_file_that_is_no_text_is_refused_with_its_name(tmp_path: Path) -> None:
    cookies = tmp_path / "cookies.bin"
    cookies.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidCredentials, match=r"cookies\.bin: the file is not in UTF-8"):
        read_credentials(asked(cookies=str(cookies)))


def test_what_is_for_one_site_alone_names_it_before_a_secret_is_asked_for() -> None:
    for options in ({"basic": "me"}, {"headers": ("X-Id",)}):
        with pytest.raises(InvalidCredentials, match="--for is expected"):
            read_credentials(asked(url=None, **options))
