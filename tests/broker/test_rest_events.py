"""Live notifications and the feed, from the change of a page on."""

from aiohttp import ClientSession
from lxml import etree

from tests.harness.events import listening
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually


async def test_notifications_are_heard_live_and_first_what_was_missed(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    words = ["argus", "sleeps", "wakes"]
    await rest.subscribe(page.url, hook.url, *words)
    await page.stored()
    async with listening(shared, page.url) as stream:
        begin, _ = await stream.next()
        page.text = "<p>the giant argus"
        first = await stream.next()
    assert first[1] == ["argus"]
    page.text += "<p>sleeps"
    await hook.notified(2)

    async with listening(shared, page.url, last=begin) as stream:
        heard = [await stream.next() for _ in range(3)]
        assert [keywords for _, keywords in heard] == [[], ["argus"], ["sleeps"]]
        page.text += "<p>wakes"
        assert (await stream.next())[1] == ["wakes"]
    async with listening(shared, page.url, last=first[0]) as stream:
        assert [(await stream.next())[1] for _ in range(3)] == [[], ["sleeps"], ["wakes"]]

    async def fed() -> list[str]:
        url = f"http://127.0.0.1:{shared.settings.port}/vokter/v1/feed"
        async with ClientSession() as http, http.get(url, params={"client": hook.url}) as response:
            feed = etree.fromstring(await response.read())
        found = [entry.text for entry in feed.iterfind("{*}entry/{*}title")]
        return found if len(found) == len(words) else []

    titles = ["wakes", "sleeps", "the giant argus"]
    assert await eventually(fed, "the feed has all") == [f"{each}: {page.url}" for each in titles]
