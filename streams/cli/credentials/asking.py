"""Secrets at the command line: asked for, or read from a file or standard input."""

import sys
from dataclasses import dataclass
from getpass import getpass
from pathlib import Path
from typing import Any

from connectors.credentials.errors import InvalidCredentials
from connectors.credentials.input_formats import parse_credentials
from schemas.records.credentials import Credentials
from streams.cli.output import say

STDIN = "-"


@dataclass(frozen=True, slots=True)
class CredentialsOptions:
    """The options of ``vokter credentials set``; exactly one after ``url`` is expected.

    ``options`` are the given options of a channel's digests and language, by name.
    """

    url: str | None
    headers: tuple[str, ...]
    header_file: str | None
    basic: str | None
    cookies: str | None
    storage: str | None
    secrets: tuple[str, ...]
    is_channel: bool = False
    title: str = ""
    body: str | None = None
    options: tuple[tuple[str, str], ...] = ()


def read_credentials(asked: CredentialsOptions) -> Credentials:
    """Read the credentials in the options; raises InvalidCredentials, or OSError for a file."""
    if asked.url is None and (asked.headers or asked.header_file or asked.basic or asked.secrets):
        raise InvalidCredentials("--for is expected: the URL that the credentials are sent to")
    given: dict[str, Any] = {
        "headers": [_header(each) for each in asked.headers] or None,
        "basic": asked.basic,
        "cookies": asked.cookies,
        "storage": asked.storage,
        "secrets": {name: _secret(f"Value of {name}") for name in asked.secrets} or None,
        "channel": _channel(asked) if asked.is_channel else None,
    }
    if asked.header_file is not None:
        lines = _content(asked.header_file).splitlines()
        given["headers"] = (given["headers"] or []) + [each for each in lines if each.strip()]
    chosen = {kind: value for kind, value in given.items() if value is not None}
    if len(chosen) != 1:
        raise InvalidCredentials(
            "one of --header, --header-file, --basic, --cookies, --storage, --secret and --channel "
            "is expected"
        )
    ((kind, value),) = chosen.items()
    if kind == "basic":
        value = {"user": value, "password": _secret(f"Password of {value}")}
    elif kind not in ("headers", "secrets", "channel"):
        value = _content(value)
    return parse_credentials({"for": asked.url, kind: value})


def _channel(asked: CredentialsOptions) -> dict[str, str]:
    body = "" if asked.body is None else _content(asked.body)
    texts = {"address": _secret("Address of the channel"), "title": asked.title, "body": body}
    return texts | dict(asked.options)


def _header(given: str) -> str:
    name, colon, value = given.partition(":")
    if not colon:
        return f"{name}: {_secret(f'Value of {name}')}"
    if value.strip():
        say(
            f"Warning: the value of {name} was an argument: it is in your shell's history, and "
            f"others on this machine could see it. Next time give --header {name!r} alone."
        )
    return given


def _secret(what: str) -> str:
    """Ask for a secret without showing the input; without a terminal, read a line of stdin."""
    if sys.stdin.isatty():
        return getpass(f"{what}: ")
    return sys.stdin.readline().rstrip("\r\n")


def _content(path: str) -> str:
    """Read a file, or standard input."""
    data = sys.stdin.buffer.read() if path == STDIN else Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidCredentials(f"{path}: the file is not in UTF-8") from None
