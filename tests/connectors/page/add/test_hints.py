"""The preview says what would be better to watch, and what it reads now, without scripts, too."""

import pytest
from aiohttp import ClientSession

from schemas.records.requests import Subscribe
from schemas.records.views import Selector
from tests.connectors.page.session.test_guard import sent, token_of
from tests.harness.page import ServedPage
from tests.harness.pages import Pages

LAMP = """<html lang=en><head><title>Aurora desk lamp</title>{}</head><body><h1>Aurora</h1>
<p id=price>89 EUR</p><p>In stock</p><h2>More lamps</h2><p>Sold out</p></body></html>"""
FEED = "<link rel=alternate type='application/rss+xml' href='/feed.xml'>"


async def previewed(
    served: ServedPage, http: ClientSession, url: str, do: str = "preview", **fields: str
) -> str:
    token = await token_of(http, f"{served.base}/add")
    form = {"token": token, "url": url, "interval": "600", "send": "here", **fields}
    answer = await sent(http, served, "/add", do=do, **form)
    return await answer.text()


@pytest.mark.parametrize(
    ("markup", "fields", "hint"),
    [
        (LAMP.format(FEED), {}, "This page has a feed; it is better to watch."),
        (LAMP.format(""), {"part": "#price"}, "This part is a price."),
        ("<title>App</title><div id=app>Loading…</div><script></script>", {}, "to need scripts"),
        ("<title>App</title><div id=app></div>", {}, "to need scripts"),
    ],
)
async def test_a_hint_offers_what_is_better(
    served: ServedPage, http: ClientSession, pages: Pages, markup: str, fields: dict[str, str],
    hint: str,
) -> None:  # fmt: skip
    assert hint in await previewed(served, http, pages.add(markup).url, **fields)
    plain = await previewed(served, http, pages.add(LAMP.format("")).url)
    assert 'class="note"' not in plain


async def test_words_a_number_and_a_stock_are_read_at_once_and_watched_apart(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    page = pages.add(LAMP.format(""))
    asked = {"keywords": "lamps", "number": "1", "below": "80", "stock": "1", "part": "#price"}
    shown = await previewed(served, http, page.url, **asked)
    assert "</q> → 89 EUR" in shown
    assert '<p class="reading">In stock now</p>' in shown
    assert "<mark>lamps</mark>" in shown
    assert len(page.requests) == 1
    assert 'name="title" value="Aurora desk lamp"' in shown
    added = await previewed(
        served, http, page.url, "subscribe", once="1", title="Aurora desk lamp", **asked
    )
    assert "Watched apart: " in added
    words, number, stock = served.register.asked
    assert isinstance(words, Subscribe)
    assert isinstance(number, Subscribe)
    assert isinstance(stock, Subscribe)
    assert (words.keywords, words.name, words.options.view.select) == (("lamps",), "", ())
    assert (number.name, number.options.when.below) == ("Aurora desk lamp (number)", "80")
    assert number.options.view.select == (Selector(css="#price"),)
    assert (stock.name, stock.options.view.stock) == ("Aurora desk lamp (stock)", True)


async def test_an_error_keeps_the_preview_and_says_what_is_in_the_way(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    page = pages.add(LAMP.format(""))
    await previewed(served, http, page.url)
    asked = {"title": "Aurora desk lamp", "number": "1", "part": "#price", "below": "cheap"}
    wrong = await previewed(served, http, page.url, "subscribe", **asked)
    assert 'id="below-error">A number such as 1299.50' in wrong
    assert "Aurora desk lamp</h2>" in wrong
    assert "</q> → 89 EUR" in wrong
    assert len(page.requests) == 1
    for once in "ab":
        answer = await previewed(served, http, page.url, "subscribe", once=once)
    assert "This page is already watched for this receiver." in answer
    assert "give this one a name" in answer
    replaced = await previewed(served, http, page.url, "replace", once="c", keywords="lamps")
    assert "<h1>Watching</h1>" in replaced
    assert served.register.asked[-1].replace  # type: ignore[union-attr]


async def test_blanks_are_no_keywords_and_never_stop_is_asked_for(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    url = pages.add(LAMP.format("")).url
    blanks = await previewed(served, http, url, "subscribe", keywords=" \n ")
    assert "There are only blanks" in blanks
    assert served.register.asked == []
    await previewed(served, http, url, "subscribe", once="1", ends="never")
    await previewed(served, http, url, "subscribe", once="2", ends="10", name="Lamp")
    never, ten = served.register.asked
    assert isinstance(never, Subscribe)
    assert isinstance(ten, Subscribe)
    assert (never.options.max_failures, ten.options.max_failures, ten.name) == (0, 10, "Lamp")
