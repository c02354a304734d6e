"""A crawl on the real broker: who is notified of what, and what a kill leaves."""

import asyncio
from signal import SIGKILL
from typing import Any

import pytest

from tests.harness.hooks import Hooks
from tests.harness.pages import Page, Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually

BRANCHES = 6


async def covers(rest: Rest, crawl: str, *pages: Page) -> None:
    """Wait until a crawl is listed as covering exactly these pages."""
    wanted = {page.url for page in pages}

    async def are_listed() -> bool:
        listed = (await rest.get(f"/subscriptions/{crawl}/pages", limit="1000")).body
        return wanted == {each["url"] for each in listed.get("pages", ())}

    await eventually(are_listed, f"{len(wanted)} pages are covered")


def linking(text: str, *pages: Page) -> str:
    links = "".join(f"<a href='{page.url}'>{number}</a>" for number, page in enumerate(pages))
    return f"<p>{text} {links}"


def tree(pages: Pages) -> tuple[Page, list[Page], list[Page]]:
    """Add a page that links to some, each of which links to others."""
    leaves = [pages.add("<p>the giant sleeps") for _ in range(BRANCHES**2)]
    parts = [leaves[at : at + BRANCHES] for at in range(0, len(leaves), BRANCHES)]
    branches = [pages.add(linking("branch", *part)) for part in parts]
    return pages.add(linking("root", *branches)), branches, leaves


async def test_a_page_that_is_linked_to_is_fetched_once_and_notifies_both(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    linked, crawler, watcher = pages.add("<p>the giant sleeps"), hooks.add(), hooks.add()
    document = pages.add(linking("gods", linked))
    await rest.subscribe(linked.url, watcher.url, "argus")
    more: dict[str, Any] = {"crawl": {"depth": 1, "notifyPages": True}}
    crawl = await rest.subscribe(document.url, crawler.url, "argus", **more)
    await covers(rest, crawl, linked)
    await linked.requested(3)
    before = len(linked.requests)
    await document.requested(4)
    assert len(linked.requests) - before <= 6, "two watch it, and it is fetched once a second"
    linked.text = "<p>the giant argus sleeps"
    (notified,), (own,) = await crawler.notified(), await watcher.notified()
    assert (notified["url"], notified["document"]) == (document.url, linked.url)
    assert notified["subscription"] == crawl
    assert (own["url"], "document" in own) == (linked.url, False)

    new = pages.add("<p>a new page")
    document.text = linking("gods", new)
    news = (await crawler.notified(3))[1:]
    # Two pages are two partitions: neither waits for the other.
    assert {(each["status"], each["document"]) for each in news} == {
        ("pageRemoved", linked.url),
        ("pageAdded", new.url),
    }
    await covers(rest, crawl, new)
    answer = await rest.get(f"/subscriptions/{crawl}/pages", url=linked.url)
    assert answer.body["state"] == "removed"

    await rest.cancel(document.url, crawler.url)
    await new.rests(linked)


@pytest.mark.slow  # tests/agents/crawl/test_coverage.py has its crashes
async def test_workers_killed_while_a_site_is_crawled_lose_no_page(
    pair: Deployment, pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    root, branches, leaves = tree(pages)
    hook = hooks.add()
    crawl = await pair_rest.subscribe(root.url, hook.url, "argus", crawl={"depth": 2})
    for number, name in enumerate(("match", "fetch", "match-2", "fetch-2"), 1):
        await branches[number].requested()
        await asyncio.to_thread(pair[name].send, SIGKILL)
        pair[name].start()

    await covers(pair_rest, crawl, *branches, *leaves)

    for leaf in leaves:
        await leaf.stored()
        leaf.text = "<p>the giant argus sleeps"
    wanted = {leaf.url for leaf in leaves}
    await eventually(
        lambda: _done({each["document"] for each in hook.bodies} >= wanted), "all are notified"
    )


async def _done(value: bool) -> bool:
    return value
