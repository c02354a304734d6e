"""A page is fetched once while somebody picks from it; what is picked becomes selectors."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors.http.errors import FetchFailed
from schemas.records.answers import PageQuery, Response
from schemas.records.previews import PickedPart, PreviewQuery
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Quote, Selector, ViewOptions
from streams.agents.history import try_page as trying
from streams.agents.history.try_page import PreviewReader, TrialEffects, Trials, previewed_page
from streams.effects.page_copies import copied, picked
from streams.effects.trial import trial_reader
from streams.settings import Settings
from tests.fakes.asked import asked_subscription

PAGE = "<title>Shop</title><h1>Giants</h1><p id=price>Price: <b>12 €</b></p>"
URL = "https://shop.test/"


class Site:
    """A page, how often it was fetched, and the time."""

    def __init__(self, folder: Path) -> None:
        self.body = PAGE
        self.content_type = "text/html"
        self.queries: list[PageQuery] = []
        self.now = 0.0
        self.trials = Trials(
            TrialEffects(
                get=self._get,
                call=self._call,
                reader=PreviewReader(trial_reader(Settings(data_dir=folder)), copied, picked),
                failures=(FetchFailed,),
                pause=lambda _: 0,
                clock=lambda: self.now,
            )
        )

    async def _get(self, query: PageQuery) -> Response:
        self.queries.append(query)
        return Response(200, self.body.encode(), self.content_type, url=query.url)

    async def _call(self, function: Callable[..., Any], arguments: Any) -> tuple[Any, float]:
        return function(*arguments), 0.0


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def asked(*select: Selector, manager: str = "default") -> Subscription:
    options = Options(view=ViewOptions(select=select))
    receiver = Receiver(session="x")
    return asked_subscription(
        Subscribe(URL, receiver, keywords=("*",), manager=manager, options=options)
    )


def number_of(html: str, text: str) -> int:
    """Return the number of the element that begins with a text in a copy."""
    return int(html.partition(f">{text}")[0].rpartition('data-n="')[2].rstrip('"'))


async def test_a_page_is_fetched_once_while_its_parts_are_picked(site: Site) -> None:
    first = (await site.trials.preview(asked(), PreviewQuery())).page
    assert first.copy is not None
    number = number_of(first.copy.html, "12 €")
    site.body = "<p>Something else"
    query = PreviewQuery(known=first.copy_id, picked=number)
    preview = await site.trials.preview(asked(), query)
    quote = Selector(quote=Quote("12 €", "Shop Giants Price: ", ""))
    around, found = number_of(first.copy.html, "Price"), (number,)
    assert preview.page.picked == PickedPart(
        Selector(css="#price b"), quote, found=found, wider=around
    )
    assert (preview.page.copy, preview.page.found) == (None, (number,))
    assert preview.seen.text == "12 €"
    assert [(each.selector, each.lines, each.first) for each in preview.seen.selectors] == [
        (Selector(css="#price b"), 1, "12 €"),
        (quote, 1, "12 €"),
    ]
    assert len(site.queries) == 1
    by_quote = PreviewQuery(known=first.copy_id, picked=number, by_quote=True)
    preview = await site.trials.preview(asked(), by_quote)
    assert preview.seen.selectors[0].selector == quote


async def test_what_selectors_find_is_said_of_those_that_are_not_chosen_too(site: Site) -> None:
    others = (Selector(quote=Quote("Giants")), Selector(css="p["))
    preview = await site.trials.preview(asked(Selector(css="b")), PreviewQuery(others=others))
    assert preview.seen.text == "12 €"
    assert [each.lines for each in preview.seen.selectors] == [1, 1, 0]
    assert "cannot be used" in preview.seen.selectors[2].reason
    assert preview.page.copy is not None
    assert preview.page.found == (number_of(preview.page.copy.html, "12 €"),)


@pytest.mark.parametrize("forgotten", ["time", "a preview of nothing known", "another manager"])
async def test_an_element_of_another_copy_is_not_picked(site: Site, forgotten: str) -> None:
    first = (await site.trials.preview(asked(), PreviewQuery())).page
    site.body = "<p>Something else"
    request = asked()
    match forgotten:
        case "time":
            site.now += trying.CACHED_S + 1
        case "another manager":
            request = asked(manager="other")
        case _:
            await site.trials.preview(asked(), PreviewQuery())
    preview = await site.trials.preview(request, PreviewQuery(known=first.copy_id, picked=6))
    assert len(site.queries) == 2
    assert (preview.page.picked, preview.seen.text) == (None, "Something else")
    assert preview.page.copy is not None
    assert preview.page.copy_id != first.copy_id


@pytest.mark.parametrize("number", [99, 10**9])
async def test_an_element_that_there_is_not_is_not_picked(site: Site, number: int) -> None:
    first = (await site.trials.preview(asked(), PreviewQuery())).page
    query = PreviewQuery(known=first.copy_id, picked=number)
    assert (await site.trials.preview(asked(), query)).page.picked is None


@pytest.mark.parametrize(("content_type", "body"), [("application/json", "{}"), ("", "%PDF-1.7")])
async def test_what_is_no_html_has_no_copy(site: Site, content_type: str, body: str) -> None:
    site.content_type, site.body = content_type, body
    preview = await site.trials.preview(asked(), PreviewQuery())
    assert (preview.page.copy_id, preview.page.copy) == ("", None)


async def test_only_so_much_of_pages_is_cached(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "MAX_CACHED", 10)
    site.trials = Trials(site.trials._effects)
    for _ in range(2):
        await site.trials.preview(asked(), PreviewQuery(known="x"))
    assert len(site.queries) == 2


def test_what_a_process_is_sent_to_read_a_page_makes_it_import_no_http_client(
    tmp_path: Path,
) -> None:
    reader = PreviewReader(trial_reader(Settings(data_dir=tmp_path)), copied, picked)
    program = (
        "import pickle, sys; pickle.load(sys.stdin.buffer); print({'aiohttp'} & set(sys.modules))"
    )
    work = pickle.dumps((previewed_page, reader))
    run = subprocess.run(
        [sys.executable, "-c", program], input=work, capture_output=True, check=True
    )
    assert run.stdout == b"set()\n"
