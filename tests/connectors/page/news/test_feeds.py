"""Feeds with a token in their address: what they show, to whom, and until when."""

import re
from dataclasses import replace
from html import unescape

from aiohttp import ClientSession
from structlog.testing import capture_logs

from connectors.access.keys import new_key, save_keys
from connectors.page.news.feeds import PER_MINUTE
from schemas.records.changes import Diff
from tests.connectors.page.news.test_channels import post
from tests.connectors.page.session.test_guard import signed_in
from tests.fakes.notifications import NOTIFICATION
from tests.harness.page import ServedPage

ARGUS = replace(
    NOTIFICATION,
    diffs=(Diff("added", "argus", "Argus sleeps.", "Argus sleeps."),),
    tags=("giants",),
    title="Giants",
)
OTHER = replace(ARGUS, id="other", tags=(), title="Heroes")
FOREIGN = replace(ARGUS, id="foreign", manager="others", title="Secret")


async def made(http: ClientSession, served: ServedPage, **asked: str) -> str:
    """Make a feed as a person does; returns its address."""
    _, text, path = await post(http, served, "/feeds", **asked)
    name = path.partition("added=")[2]
    (address,) = re.findall(rf'id="{name}" type="text" readonly value="([^"]+)"', text)
    return unescape(str(address))


async def read(url: str) -> tuple[int, str]:
    """Read as a feed reader does: without a session and a key."""
    async with ClientSession() as http, http.get(url) as response:
        return response.status, await response.text()


async def signed_in_reader(http: ClientSession, served: ServedPage) -> None:
    secret, key = new_key(NOTIFICATION.manager, None, None)
    save_keys(served.keys, [key])
    await signed_in(http, served, secret)


async def test_a_feed_shows_the_news_that_it_was_made_of_until_it_is_removed(
    served: ServedPage, http: ClientSession
) -> None:
    await signed_in_reader(http, served)
    await served.store.read_side.record([ARGUS, OTHER, FOREIGN])
    everything, tagged = await made(http, served), await made(http, served, tag="giants")
    status, text = await read(everything)
    assert status == 200
    assert "Argus sleeps: Giants</title>" in text
    assert "Heroes" in text
    assert "Secret" not in text
    _, text = await read(tagged)
    assert ("Giants" in text, "Heroes" in text) == (True, False)
    rows = await served.store.credentials.all_of(NOTIFICATION.manager)
    names = {row.sent_to: row.name for row in rows}
    await post(http, served, "/feeds/remove", name=names["All news"])
    assert [(await read(url))[0] for url in (everything, tagged)] == [410, 200]
    status, _, _ = await post(http, served, "/feeds/remove", name=names["All news"])
    assert status == 404


async def test_its_address_opens_nothing_else_and_is_in_no_log(
    served: ServedPage, http: ClientSession
) -> None:
    await signed_in_reader(http, served)
    with capture_logs() as logs:
        address = await made(http, served)
        token = address.rpartition("/")[2]
        await read(address)
        for path in (f"/link/{token}", f"/feed/{token[:-1]}", f"/feed/{token}x", "/feed/x"):
            status, text = await read(f"{served.base}{path}")
            assert (status, "<entry>" in text) == (404, False), path
    assert token not in str(logs)
    async with ClientSession() as reader, reader.get(f"{served.base}/news?token={token}") as page:
        assert page.url.path == "/sign-in"
    async with ClientSession() as reader, reader.post(address) as refused:
        assert refused.status in {403, 405}


async def test_a_feed_is_no_channel_and_no_login(served: ServedPage, http: ClientSession) -> None:
    await made(http, served)
    (row,) = await served.store.credentials.all_of("default")
    assert (row.kind, row.sent_to) == ("feed", "All news")
    status, _, _ = await post(http, served, "/channels/remove", name=row.name)
    assert status == 404
    fields = {"url": "http://example.test/", "interval": "600", "do": "subscribe"}
    channel = {"send": "channel", "channel": row.name}
    _, text, _ = await post(http, served, "/add", **fields, **channel)
    assert "There is no channel" in text
    _, text, _ = await post(http, served, "/add", **fields, send="page", credentials=row.name)
    assert f'value="{row.name}"' not in text
    assert served.register.asked == []


async def test_an_address_reads_so_many_feeds_a_minute(
    served: ServedPage, http: ClientSession
) -> None:
    address = await made(http, served)
    statuses = [(await read(address))[0] for _ in range(PER_MINUTE + 1)]
    assert statuses == [200] * PER_MINUTE + [429]


async def test_a_feed_has_the_language_of_the_page_on_which_it_was_made(
    served: ServedPage, http: ClientSession
) -> None:
    await signed_in_reader(http, served)
    await served.store.read_side.record([ARGUS])
    http.headers["Accept-Language"] = "de"
    _, text = await read(await made(http, served))
    assert "&gt;neu&lt;" in text
    del http.headers["Accept-Language"]
    _, text = await read(await made(http, served))
    assert "&gt;added&lt;" in text
