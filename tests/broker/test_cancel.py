"""Nothing is left of a document that nobody watches any more."""

from connectors.stores.opening import open_store
from schemas.records.fetches import Forget
from schemas.records.topics import FETCHES
from tests.harness.facts import reading
from tests.harness.hooks import Hooks
from tests.harness.pages import PageRequest, Pages
from tests.harness.processes import Deployment
from tests.harness.rest import OK, Rest
from tests.harness.waiting import eventually, until


async def test_the_last_cancel_ends_the_fetches_and_clears_the_snapshot(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, other, hook = pages.add("<p>the giant"), pages.add("<p>the giant"), hooks.add()
    first, last = hooks.add(), hooks.add()
    await rest.subscribe(page.url, first.url, "argus")
    await rest.subscribe(page.url, last.url, "argus")
    await rest.subscribe(other.url, hook.url, "argus")
    await page.stored()
    await rest.cancel(page.url, first.url)
    await page.requested(2)
    store = await open_store(shared.settings.store_url)
    try:
        assert await store.snapshots.document(page.url) is not None
        async with reading(shared.settings, FETCHES) as fetches:
            await rest.cancel(page.url, last.url)
            await until(lambda: fetches.of(Forget, url=page.url), "the document is forgotten")

        async def gone() -> bool:
            return await store.snapshots.document(page.url) is None

        await eventually(gone, "the snapshot is gone from the store")
        known = len(page.requests)
        await other.requested(3)
        assert len(page.requests) == known
        assert await store.snapshots.document(page.url) is None
    finally:
        await store.close()


async def test_what_changed_between_a_stop_and_its_undo_is_notified(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    target = {"documentUrl": page.url, "clientUrl": hook.url}
    assert (await rest.call("/cancel", target | {"undo": True})).body["id"] == name
    await rest.shows(lambda item: item["id"] == name and item["state"] == "stopped", "it")
    page.text = "<p>the giant argus"
    assert (await rest.call("/resume", target)).verdict == OK
    (notified,) = await hook.notified()
    assert [diff["keyword"] for diff in notified["diffs"]] == ["argus"]
    await rest.shows(lambda item: item["id"] == name and item["state"] == "active", "it")


async def test_what_was_seen_before_a_cancel_is_no_baseline_after_it(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant argus sleeps"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus", "hera")
    await page.stored()
    await rest.cancel(page.url, hook.url)
    page.text = "<p>the giant sleeps"
    await rest.subscribe(page.url, hook.url, "argus", "hera")
    # Without a validator it is the new watch that looks; the old one may do so for a while.
    again = PageRequest(page.version, 200, None)
    await until(lambda: again in page.requests, "it is fetched again")
    page.text = "<p>the giant hera sleeps"
    (notified,) = await hook.notified()
    assert [(d["event"], d["keyword"]) for d in notified["diffs"]] == [("added", "hera")]
