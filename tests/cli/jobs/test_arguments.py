"""URLs and durations as people type them."""

import pytest
import typer

from streams.cli.durations import parse_duration
from streams.cli.jobs.arguments import parse_url


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "https://example.org"),
        ("example.org:8080/a", "https://example.org:8080/a"),
        ("http://example.org/", "http://example.org/"),
    ],
)
def test_a_url_without_a_scheme_is_https(typed: str, url: str) -> None:
    assert parse_url(typed) == url


@pytest.mark.parametrize("typed", ["ftp://example.org/", "", "a b", "https://"])
def test_what_is_no_url_is_named(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"{typed!r} is no http or https URL"):
        parse_url(typed)


@pytest.mark.parametrize("typed", ["jo:hush@example.org/a", "https://jo:hush@example.org/a"])
def test_a_password_in_a_url_is_refused_without_being_shown(typed: str) -> None:
    with pytest.raises(typer.BadParameter) as refused:
        parse_url(typed)
    said = refused.value.message
    assert "vokter credentials set NAME --for https://example.org/a --basic USER" in said
    assert "hush" not in said


@pytest.mark.parametrize("typed", ["5 min", "", "-5", "1.5h", "m"])
def test_what_is_no_duration_is_named(typed: str) -> None:
    with pytest.raises(typer.BadParameter, match=f"{typed!r} is no duration"):
        parse_duration(typed)


def test_a_duration_is_seconds_or_has_a_unit() -> None:
    assert [parse_duration(text) for text in ("7", "7s", "5m", "2h", "1d")] == [
        7,
        7,
        300,
        7200,
        86_400,
    ]
