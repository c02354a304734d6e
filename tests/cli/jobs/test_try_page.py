"""What ``vokter try`` prints."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from connectors.api.tried import seen_json
from schemas.records.changes import Diff, Marked, Marks, Span
from schemas.records.previews import IgnoredText, SeenPage, SelectorResult
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import Quote, Selector, ViewOptions
from streams.cli.jobs.refusals import Refused
from streams.cli.jobs.try_page import NotReadable, ShownText, seen_lines, try_page
from streams.settings import Settings
from tests.harness.web import served

MATCH = Diff(
    "added", "giant", "The giant.", "The giant.", marks=Marks(Marked((), (Span(4, 9),)), Marked())
)
SEEN = SeenPage(
    status=200,
    url="https://example.org/giants",
    content_type="text/html",
    bytes=1234,
    read_as="text/html",
    language="en",
    title="Giants \x1b[31m",
    text="one\ntwo\nthree",
    selectors=(
        SelectorResult("view.select[0]", Selector(css="main"), 3, "one"),
        SelectorResult("view.select[1]", Selector(css="b")),
        SelectorResult("view.select[2]", Selector(quote=Quote("4 €")), 1, "4 €", doubt="lost"),
        SelectorResult("view.exclude[0]", Selector(css="nav"), reason="cannot be used"),
    ),
    ignored=(
        IgnoredText("view.ignore[0]", r"\d+ views", 1_200, "12 views"),
        IgnoredText("view.ignore[1]", "likes"),
    ),
    matches=(MATCH,),
    fetch_ms=5,
    read_ms=7,
)


def test_a_quote_that_has_changed_says_how_much_of_it_is_the_same() -> None:
    quote = Selector(quote=Quote("12 € a month"))
    results = [
        SelectorResult("view.select[0]", quote, 1, "13 € a month", confidence=each)
        for each in (0.88, 1.0)
    ]
    _, changed, same = seen_lines(SeenPage(selectors=tuple(results)), 0)
    assert changed.plain.strip() == (
        "selector  view.select[0] 12 € a month: 88% the same, 1 line, '13 € a month'"
    )
    assert "the same" not in same.plain
    (shown, _) = seen_json(SeenPage(selectors=tuple(results)), 0, 0)["selectors"]
    assert shown["confidence"] == 0.88


def test_everything_that_is_seen_has_a_line() -> None:
    lines = [line.plain.strip() for line in seen_lines(SEEN, 2)]
    assert lines == [
        "url  https://example.org/giants",
        "status  200, text/html, 1,234 bytes in 5 ms",
        "read as  text/html, language en, in 7 ms of CPU",
        r"title  Giants \x1b[31m",
        "selector  view.select[0] main: 3 lines, 'one'",
        "selector  view.select[1] b: nothing",
        "selector  view.select[2] 4 €: 1 line, '4 €'",
        "warning: lost",
        "selector  view.exclude[0] nav: cannot be used",
        r"ignore  view.ignore[0] \d+ views: 1,200 times, '12 views'",
        "ignore  view.ignore[1] likes: nothing",
        "keyword  giant: The [giant].",
        "",
        "one\ntwo",
        "… 1 more lines; --all prints them.",
    ]


def test_a_keyword_that_no_sentence_matches_is_named() -> None:
    lines = [line.plain.strip() for line in seen_lines(SEEN, 0, ("giant", "zeus", "*"))]
    assert [line for line in lines if line.startswith("keyword")] == [
        "keyword  giant: The [giant].",
        "keyword  zeus: nothing",
    ]


def test_all_of_the_text_may_be_printed_or_nothing_of_it() -> None:
    every = [line.plain for line in seen_lines(SEEN, 3)]
    assert every[-1] == "one\ntwo\nthree"
    none = [line.plain for line in seen_lines(SEEN, 0)]
    assert none[-1] == "… 3 more lines; --all prints them."


def asked(url: str, **options: Any) -> Subscribe:
    return Subscribe(url, Receiver(session="try"), keywords=("*",), options=Options(**options))


async def test_a_page_is_tried_without_a_deployment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(text="<title>Giants</title><p>Argus", content_type="text/html")

    settings = Settings(data_dir=tmp_path / "none", allow_private="127.0.0.0/8")
    async with served(page) as (base,):
        await try_page(settings, asked(base), ShownText(5))
        await try_page(settings, asked(base), ShownText(5, is_json=True))
    printed = capsys.readouterr().out
    assert "title  Giants" in printed
    assert r'"text": "Giants\n\nArgus"' in printed
    assert not (tmp_path / "none").exists()


async def test_packages_of_the_folder_in_which_a_page_is_tried_are_not_imported(
    tmp_path: Path,
) -> None:
    for name in ("streams", "schemas", "connectors"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('a stranger')")
    vokter = Path(sys.executable).with_name("vokter")

    async def page(_: web.Request) -> web.Response:
        return web.Response(text="Zeus sleeps.")

    environment = {**os.environ, "HOME": str(tmp_path), "VOKTER_ALLOW_PRIVATE": "127.0.0.0/8"}
    async with served(page) as (url,):
        trying = await asyncio.create_subprocess_exec(
            vokter,
            "try",
            url,
            "zeus",
            cwd=tmp_path,
            stdout=PIPE,
            stderr=STDOUT,
            env=environment,
        )
        printed, _ = await trying.communicate()
    assert trying.returncode == 0, printed.decode()
    assert "Zeus sleeps." in printed.decode()


async def test_what_may_not_be_asked_for_is_refused_with_its_position(tmp_path: Path) -> None:
    view = ViewOptions(select=(Selector(css="<"),))
    with pytest.raises(Refused, match=r"Cannot try: view\.select\[0\]\.css"):
        await try_page(
            Settings(data_dir=tmp_path), asked("https://a.example/", view=view), ShownText(5)
        )


async def test_a_page_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    async def gone(_: web.Request) -> web.Response:
        return web.Response(status=410)

    settings = Settings(data_dir=tmp_path, allow_private="127.0.0.0/8")
    async with served(gone) as (base,):
        with pytest.raises(NotReadable, match=r"Cannot read .*: HTTP 410\."):
            await try_page(settings, asked(base), ShownText(5))
