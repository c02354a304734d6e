"""Views tried on real servers, friendly and hostile."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from connectors.credentials.input_formats import parse_credentials
from schemas.records.answers import Reading, Response
from schemas.records.previews import SeenPage
from schemas.records.rendering import Step, WaitFor
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Quote, Selector, View, ViewOptions
from streams.agents.history.try_page import Trials
from streams.agents.history.try_reading import TrialReader, seen_page
from streams.effects.connections import opened_store
from streams.effects.credentials import opened_vault
from streams.effects.trial import opened_trials
from streams.settings import Settings
from tests.fakes.asked import asked_subscription
from tests.harness.browser import browser_path
from tests.harness.hostile import QUICK, Hostile, packed
from tests.harness.web import served

PAGE = """<html lang=en><head><title>Giants</title></head><body><nav>Home</nav><main>
<h1>Argus Panoptes</h1><p>The giant with a hundred eyes guards the cow Io.</p>
<p>Hera set him as a guard.</p><b class=price>4</b><b class=price>5</b></main></body></html>"""
SCRIPTED = """<button id=more onclick="this.insertAdjacentHTML('afterend',
'<p>' + ['argus', 'by', 'script'].join(' '))">more</button>"""
LONG = 600.0
ENDLESS_LOOP = "CONTENT_TYPES = ('x/endless',)\ndef read(body, charset):\n    while True: pass\n"


@asynccontextmanager
async def trials(folder: Path, parse_timeout: float = LONG, **more: Any) -> AsyncIterator[Trials]:
    # A test that must not depend on the time that reading takes allows much.
    settings = Settings(
        data_dir=folder,
        allow_private="127.0.0.0/8",
        host_delay=0,
        parse_timeout=parse_timeout,
        **more,
    )
    async with opened_trials(settings) as found:
        yield found


def asked(
    url: str, *keywords: str, view: ViewOptions | None = None, **options: Any
) -> Subscription:
    chosen = Options(view=view or ViewOptions(), **options)
    receiver = Receiver(session="try")
    return asked_subscription(Subscribe(url, receiver, keywords=keywords or ("*",), options=chosen))


async def page(request: web.Request) -> web.Response:
    match request.path:
        case "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow: /private")
        case "/moved":
            raise web.HTTPFound("/giants")
        case "/gone":
            return web.Response(status=410, text=PAGE, content_type="text/html")
        case "/scripted":
            return web.Response(text=SCRIPTED, content_type="text/html")
        case "/endless":
            return web.Response(body=b"a", content_type="x/endless")
    return web.Response(text=PAGE, content_type="text/html")


async def looked(folder: Path, path: str, *keywords: str, **more: Any) -> SeenPage:
    async with served(page) as (base,), trials(folder) as trying:
        return await trying.look(asked(f"{base}{path}", *keywords, **more))


async def test_a_page_is_seen_with_status_language_title_and_text(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/giants")
    assert (seen.status, seen.reason) == (200, "")
    assert seen.read_as == "text/html"
    assert (seen.language, seen.title) == ("en", "Giants")
    assert seen.bytes == len(PAGE)
    assert "Hera set him as a guard." in seen.text
    assert seen.matches == ()


async def test_the_url_is_that_to_which_redirects_led(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/moved")
    assert seen.url.endswith("/giants")
    assert seen.status == 200


async def test_each_selector_says_what_it_finds_alone(tmp_path: Path) -> None:
    view = ViewOptions(
        select=(Selector(css="main"), Selector(css="#nothing")), exclude=(Selector(css=".price"),)
    )
    seen = await looked(tmp_path, "/giants", view=view)
    assert seen.text.split("\n")[0] == "Argus Panoptes"
    assert "Home" not in seen.text
    assert "4" not in seen.text
    found = [(each.position, each.lines, each.first, each.reason) for each in seen.selectors]
    assert found == [
        ("view.select[0]", 4, "Argus Panoptes", ""),
        ("view.select[1]", 0, "", ""),
        ("view.exclude[0]", 2, "4", ""),
    ]


async def test_a_view_that_selects_nothing_has_a_reason(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/giants", view=ViewOptions(select=(Selector(css="#none"),)))
    assert seen.status == 200
    assert "nothing on the page" in seen.reason
    assert seen.text == ""


async def test_selectors_of_all_languages_and_ignored_text_are_tried(tmp_path: Path) -> None:
    select = (
        Selector(xpath="//main/p"),
        Selector(quote=Quote("Hera set him")),
        Selector(jsonpath="$.price"),
    )
    view = ViewOptions(select=select[:2], ignore=(r"giant \w+ ",))
    seen = await looked(tmp_path, "/giants", view=view)
    assert [(each.lines, each.first, each.confidence) for each in seen.selectors] == [
        (2, "The a hundred eyes guards the cow Io.", None),
        (1, "Hera set him", 1.0),
    ]
    assert "giant" not in seen.text
    seen = await looked(tmp_path, "/giants", view=ViewOptions(select=select))
    assert "jsonpath" in seen.reason
    assert [bool(each.reason) for each in seen.selectors] == [False, False, True]


async def test_each_pattern_says_what_it_removes(tmp_path: Path) -> None:
    view = ViewOptions(
        exclude=(Selector(css="nav"),), ignore=("zeus", r"[45]", r"a hundred eyes ?")
    )
    seen = await looked(tmp_path, "/giants", view=view)
    assert [(each.position, each.pattern, each.matches, each.first) for each in seen.ignored] == [
        ("view.ignore[0]", "zeus", 0, ""),
        ("view.ignore[1]", "[45]", 2, "4"),
        ("view.ignore[2]", "a hundred eyes ?", 1, "a hundred eyes "),
    ]
    assert "hundred" not in seen.text


async def test_a_quote_that_would_lose_its_passage_has_a_warning_and_a_context(
    tmp_path: Path,
) -> None:
    quotes = Quote("Home"), Quote("The giant with a hundred eyes guards the cow"), Quote("zeus")
    view = ViewOptions(select=tuple(Selector(quote=each) for each in quotes))
    seen = await looked(tmp_path, "/giants", view=view)
    first, *others = (each.doubt for each in seen.selectors)
    assert first.startswith("after a change of it nothing is found: add ")
    assert '"prefix": "Giants ' in first
    assert others == ["", ""]


async def test_a_selector_is_tried_alone_as_a_subscription_reads_it(tmp_path: Path) -> None:
    select = Selector(css=" main "), Selector(quote=Quote("Hera\u2003set"))
    seen = await looked(tmp_path, "/giants", view=ViewOptions(select=select))
    assert [each.lines > 0 for each in seen.selectors] == [True, True]


def test_the_time_of_reading_is_that_of_the_reader_alone() -> None:
    seconds = [5.0]

    def read(_: Any, __: Any, views: Sequence[View], ___: str) -> list[Reading]:
        seconds[0] += 0.25
        return [Reading("Zeus", "text/plain")] * len(views)

    def clock() -> float:
        return seconds[0]

    def matched(*_: Any) -> list[tuple[int, int]]:
        seconds[0] += 9
        return []

    reader = TrialReader(read, ValueError, matched, lambda *_: "", clock)
    request = asked("http://a.test/", view=ViewOptions(ignore=("Hera",)))
    seen = seen_page(reader, request, Response(200, b"Zeus"), SeenPage())
    assert (seen.read_as, seen.read_ms) == ("text/plain", 250)


async def test_keywords_match_as_in_notifications(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/giants", "GIANT eyes", "guards", '"guard eyes"', "zeus")
    assert [each.keyword for each in seen.matches] == ["guards"]
    seen = await looked(tmp_path, "/giants", "GIANT eyes", "guards", ignore_case=True)
    found = [(each.keyword, each.text) for each in seen.matches]
    sentence = "The giant with a hundred eyes guards the cow Io."
    assert found == [("GIANT eyes", sentence), ("guards", sentence)]
    words = [sentence[span.start : span.end] for span in seen.matches[0].marks.text.keyword]
    assert words == ["giant", "eyes"]


async def test_what_a_subscription_ignores_of_changes_is_still_shown(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/giants", "Hera", ignore_added=True, ignore_noise=True)
    assert [each.keyword for each in seen.matches] == ["Hera"]


@pytest.mark.parametrize(
    ("path", "reason"), [("/private", "robots.txt does not allow it"), ("/gone", "HTTP 410")]
)
async def test_a_page_that_cannot_be_read_has_a_reason(
    tmp_path: Path, path: str, reason: str
) -> None:
    seen = await looked(tmp_path, path)
    assert reason in seen.reason
    assert seen.text == ""


async def test_a_status_that_counts_as_content_is_read(tmp_path: Path) -> None:
    seen = await looked(tmp_path, "/gone", on_status=(410,))
    assert (seen.status, seen.reason, seen.title) == (410, "", "Giants")


async def test_an_address_that_may_not_be_reached_is_not(tmp_path: Path) -> None:
    asked_paths: list[str] = []

    async def noting(request: web.Request) -> web.Response:
        asked_paths.append(request.path)
        return web.Response(text="secret")

    async with served(noting) as (base,):
        settings = Settings(data_dir=tmp_path)
        async with opened_trials(settings) as trying:
            seen = await trying.look(asked(base.replace("127.0.0.1", "localhost")))
    assert "private or reserved" in seen.reason
    assert asked_paths == []


HOSTILE = {
    "a bomb": (packed("gzip"), "larger than"),
    "an endless body": QUICK["an endless body"],
    "an endless header": QUICK["an endless header"],
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_page_has_a_reason_and_holds_up_no_other(tmp_path: Path, name: str) -> None:
    answer, reason = HOSTILE[name]
    async with (
        Hostile(answer).serving() as hostile,
        served(page) as (base,),
        trials(tmp_path, robots="ignore") as trying,
    ):
        bad, good = await asyncio.gather(
            trying.look(asked(hostile)), trying.look(asked(f"{base}/giants"))
        )
    assert reason in bad.reason
    assert bad.text == ""
    assert good.title == "Giants", good.reason


def endless_reader(folder: Path) -> None:
    readers = folder / "plugins" / "readers"
    readers.mkdir(parents=True)
    (readers / "endless.py").write_text(ENDLESS_LOOP)


async def test_a_page_is_read_while_another_is_read_without_end(tmp_path: Path) -> None:
    endless_reader(tmp_path)
    async with served(page) as (base,), trials(tmp_path) as trying:
        endless = asyncio.create_task(trying.look(asked(f"{base}/endless")))
        good = await trying.look(asked(f"{base}/giants"))
        assert not endless.done()
        endless.cancel()
    assert good.title == "Giants", good.reason


async def test_reading_without_end_is_killed(tmp_path: Path) -> None:
    endless_reader(tmp_path)
    async with served(page) as (base,), trials(tmp_path, parse_timeout=0.5) as trying:
        seen = await trying.look(asked(f"{base}/endless"))
    assert "VOKTER_PARSE_TIMEOUT" in seen.reason or "too busy" in seen.reason


async def test_a_host_is_left_alone_as_long_as_it_wants(tmp_path: Path) -> None:
    async def slow(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nCrawl-delay: 30")
        return web.Response(text="Zeus")

    async with served(slow) as (base,), trials(tmp_path) as trying:
        first, second = [await trying.look(asked(base)) for _ in range(2)]
    assert first.text == "Zeus"
    assert "left alone" in second.reason


async def test_all_ports_of_a_host_share_its_pause(tmp_path: Path) -> None:
    async def slow(request: web.Request) -> web.Response:
        delay = "User-agent: *\nCrawl-delay: 30"
        return web.Response(text=delay if request.path == "/robots.txt" else "Zeus")

    async with served(slow) as (base,), served(page) as (other,), trials(tmp_path) as trying:
        first, second = [await trying.look(asked(each)) for each in (base, f"{other}/giants")]
    assert first.text == "Zeus"
    assert "left alone" in second.reason


async def test_a_login_page_is_not_shown_as_the_page_and_new_credentials_hold_at_once(
    tmp_path: Path,
) -> None:
    async def guarded(request: web.Request) -> web.Response:
        if request.path == "/news" and request.headers.get("X-Key") != "hush":
            raise web.HTTPFound("/login")
        return web.Response(text=f"You are at {request.path}")

    settings = Settings(
        data_dir=tmp_path, allow_private="127.0.0.0/8", robots="ignore", host_delay=0,
        signing_key="k" * 32,
    )  # fmt: skip
    async with served(guarded) as (base,), opened_store(settings) as store:
        vault = opened_vault(settings, store.credentials)
        await vault.put("default", "news", parse_credentials({"for": base, "header": "x-key: no"}))
        request = asked(f"{base}/news", view=ViewOptions(credentials="news"))
        async with opened_trials(settings, store.credentials) as trying:
            lost = await trying.look(request)
            given = parse_credentials({"for": base, "header": "x-key: hush"})
            await vault.put("default", "news", given)
            found = await trying.look(request)
    assert lost.reason == f"a login page instead of the page: redirected to {base}/login"
    assert (found.reason, found.text) == ("", "You are at /news")


async def test_a_page_behind_a_login_is_tried_with_the_credentials_of_the_manager(
    tmp_path: Path,
) -> None:
    async def guarded(request: web.Request) -> web.Response:
        is_known = request.headers.get("X-Key") == "hush"
        return web.Response(text="Secret page" if is_known else "Log in")

    settings = Settings(
        data_dir=tmp_path, allow_private="127.0.0.0/8", robots="ignore", host_delay=0,
        signing_key="k" * 32,
    )  # fmt: skip
    async with served(guarded) as (base,), opened_store(settings) as store:
        given = parse_credentials({"for": base, "header": "x-key: hush"})
        await opened_vault(settings, store.credentials).put("default", "news", given)
        async with opened_trials(settings, store.credentials) as trying:
            request = asked(base, view=ViewOptions(credentials="news"))
            assert (await trying.look(request)).text == "Secret page"
            assert (await trying.look(asked(base))).text == "Log in"
            other = await trying.look(replace(request, manager="another"))
    assert "credentials news do not exist" in other.reason


async def test_a_page_is_rendered_if_its_view_asks_for_that(tmp_path: Path) -> None:
    path = browser_path()
    steps = (Step(click="#more"),)
    async with served(page) as (base,), trials(tmp_path, browser=path) as found:
        plain, rendered, failed = [
            await found.look(asked(f"{base}/scripted", "argus", view=view))
            for view in (
                ViewOptions(),
                ViewOptions(render=True, steps=steps),
                ViewOptions(render=True, wait_for=WaitFor(text="zeus", seconds=1)),
            )
        ]
    assert (plain.text, plain.matches) == ("more", ())
    assert rendered.text.split("\n") == ["more", "argus by script"]
    assert [match.keyword for match in rendered.matches] == ["argus"]
    assert failed.reason == 'waitFor text "zeus": not there after 1 s'


async def test_without_a_browser_a_rendered_page_says_how_to_get_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.effects.browser.find_browser", lambda chosen: None)
    none = str(tmp_path / "none")
    for chosen, reason in (
        (None, "no Chromium is installed: `apt-get install chromium-headless-shell`"),
        (none, f"cannot start the browser {none}: "),
    ):
        async with trials(tmp_path, browser=chosen) as found:
            seen = await found.look(asked("http://127.0.0.1:1/", view=ViewOptions(render=True)))
        assert seen.reason.startswith(reason)
