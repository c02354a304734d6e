"""A watch is edited in the form to add one: what was not changed there stays as it is."""

import re
from dataclasses import replace
from html import unescape

from aiohttp import ClientSession

from connectors.page.add.add_form import read_form
from connectors.page.add.editing import edited_request, form_of
from schemas.records.crawls import CrawlOptions
from schemas.records.numbers import Conditions, NumberOptions
from schemas.records.requests import Rename, Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.views import Quote, Selector, ViewOptions
from tests.connectors.page.session.test_guard import sent, token_of
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import ServedPage

ADDRESS = "http://EXAMPLE.test"
RICH = Options(
    view=ViewOptions(
        select=(Selector(xpath="//p"), Selector(css="h1")),
        exclude=(Selector(quote=Quote("Ad")),),
        ignore=("a+",),
        headers=(),
        language="de",
    ),
    interval=5_400,
    max_interval=90_000,
    ignore_returns=True,
    notify_dropped=True,
    patience=7_000,
    scope="block",
    snippet_offset=9,
    max_failures=25,
    lease=90,
    tags=("gods",),
    crawl=CrawlOptions(depth=4, feeds=True),
)
NUMBER = Options(
    view=ViewOptions(select=(Selector(css="#price"),), number=NumberOptions(currency="EUR")),
    when=Conditions(below="20", margin="2.5"),
    max_failures=0,
    notify_failures=True,
    failing_after=3,
    interval=60,
)
STOCK = Options(view=ViewOptions(stock=True, render=True), hours="8-18", timezone="Asia/Tokyo")


def watch(options: Options, keywords: tuple[str, ...] = ("argus",), name: str = "") -> Subscription:
    receiver = Receiver("https://client.example/hook")
    return Subscription(
        "s1", "w1", "m", URL, URL, receiver, keywords, options, created=1, name=name
    )


def test_a_form_that_nobody_changed_changes_nothing() -> None:
    for options, keywords in ((RICH, ("a", "b")), (NUMBER, ("*",)), (STOCK, ("*",))):
        one = watch(options, keywords, "Lamp")
        command, unread = edited_request(one, form_of(one))
        assert (command.options, command.keywords, unread) == (options, keywords, ())
        assert (command.replace, command.name) == (True, "Lamp")


def test_an_edit_changes_what_was_edited_alone() -> None:
    one = watch(RICH)
    form = replace(form_of(one), keywords="hera", interval="2", unit="hours", ends="never")
    command, _ = edited_request(one, replace(form, dropped=False))
    assert command.keywords == ("hera",)
    changed = replace(RICH, interval=7_200, max_failures=0, notify_dropped=False)
    assert command.options == changed
    part = replace(form_of(watch(NUMBER)), part="b", below="", above="90", notices=False)
    command, _ = edited_request(watch(NUMBER, ("*",)), part)
    assert command.options.view == replace(NUMBER.view, select=(Selector(css="b"),))
    assert command.options.when == Conditions(above="90", margin="2.5")
    assert (command.options.notify_failures, command.options.failing_after) == (False, 1)


def fields_of(page: str) -> dict[str, str]:
    """Return what a browser would send of the form as it stands on a page."""
    form = page.partition('<form id="add"')[2].partition("</form>")[0]
    found = {}
    for tag in re.findall(r"<input [^>]*>", form):
        values = {name: unescape(value) for name, value in re.findall(r'([a-z-]+)="([^"]*)"', tag)}
        is_choice = values.get("type") in ("checkbox", "radio")
        if "name" in values and (not is_choice or " checked" in tag):
            found[values["name"]] = values.get("value", "")
    selects = re.compile(r'<select [^>]*name="(\w+)"[^>]*>(.*?)</select>', re.DOTALL)
    for name, inner in selects.findall(form):
        chosen = re.search(r"<option(?: value=\"([^\"]*)\")? selected>([^<]*)", inner)
        first = re.search(r"<option(?: value=\"([^\"]*)\")?>([^<]*)", inner)
        option = chosen or first
        assert option is not None
        found[name] = option[2] if option[1] is None else option[1]
    [keywords] = re.findall(r"<textarea [^>]*>([^<]*)</textarea>", form)
    return found | {"keywords": unescape(keywords)}


async def test_a_watch_is_edited_and_renamed_in_its_form(
    served: ServedPage, http: ClientSession
) -> None:
    options = Options(interval=3_600, tags=("gods",), ignore_returns=True)
    receiver = Receiver(session="page")
    command = Subscribe(ADDRESS, receiver, keywords=("argus",), options=options, name="Giants")
    served.register.asked.clear()
    await served.store.read_side.record(
        [subscribed(receiver=receiver, keywords=("argus",), options=options, name="Giants")]
    )
    async with http.get(f"{served.base}/watch/s1/edit") as response:
        page = await response.text()
    fields = fields_of(page)
    assert "What an edit alone changes is not notified" in page
    assert read_form(fields).words == ["argus"]
    assert (fields["interval"], fields["unit"], fields["tags"]) == ("1", "hours", "gods")
    del fields["token"]
    fields |= {"token": await token_of(http, f"{served.base}/add"), "keywords": "argus\nhera"}
    saved = await sent(http, served, "/watch/s1/edit", do="save", **fields | {"name": "The giants"})
    async with http.get(served.base + saved.headers["Location"]) as response:
        assert "What was changed is saved" in await response.text()  # its list is written later
    edited, renamed = served.register.asked
    assert isinstance(edited, Subscribe)
    assert replace(edited, manager="default", request_id=None) == replace(
        command, keywords=("argus", "hera"), options=options, replace=True
    )
    assert isinstance(renamed, Rename)
    assert (renamed.name, renamed.new_name) == ("Giants", "The giants")
    refused = await sent(http, served, "/watch/s1/edit", do="save", **fields | {"interval": "soon"})
    assert refused.status == 415
    assert 'id="interval-error">A whole number' in await refused.text()


async def test_a_duplicate_has_the_values_of_a_watch_and_another_name(
    served: ServedPage, http: ClientSession
) -> None:
    options = Options(view=ViewOptions(stock=True), max_failures=0)
    fact = subscribed(receiver=Receiver(session="page"), keywords=("*",), options=options)
    await served.store.read_side.record([fact])
    async with http.get(f"{served.base}/watch/s1/duplicate") as response:
        fields = fields_of(await response.text())
    assert (fields["stock"], fields["ends"], fields["name"]) == ("1", "never", f"{ADDRESS} (copy)")
    async with http.get(f"{served.base}/watch/s1") as response:
        page = await response.text()
        assert "in stock or not" in page
        assert 'href="/watch/s1/edit"' in page
    async with http.get(f"{served.base}/watch/nope/edit") as response:
        assert response.status == 404
