"""One fetch per document and due time, however many clients watch it."""

import pytest

from schemas.records.fetches import FetchDue
from schemas.records.topics import FETCHES
from streams.effects.clock import now
from streams.values.slots import newest_slot
from tests.harness.facts import Messages, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until


def slots_of(url: str, fetches: Messages) -> list[int]:
    return [due.slot for fact in fetches.of(FetchDue) for due in fact.due if due.url == url]


async def test_two_clients_share_one_fetch_per_slot_and_are_both_notified(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, clients = pages.add("<p>the giant sleeps"), (hooks.add(), hooks.add())
    froze = shared.froze()
    async with reading(shared.settings, FETCHES) as fetches:
        for hook in clients:
            await rest.subscribe(page.url, hook.url, "argus")
        await page.stored()
        page.text = "<p>the giant argus sleeps"
        for hook in clients:
            await hook.notified()
        await page.requested(3)
        looks, at = len(page.requests), now()
        # The next command has been read, so all before it have been, too.
        await until(
            lambda: any(slot > at for slot in slots_of(page.url, fetches)), "the next is commanded"
        )
    slots = [slot for slot in slots_of(page.url, fetches) if slot <= at]
    if shared.froze() > froze:
        pytest.skip("a worker froze: what it had in hand is commanded, fetched or notified again")
    assert len(slots) == len(set(slots)), "no slot is commanded twice"
    assert 5 <= looks <= len(slots)
    assert len({newest_slot(page.url, 1, slot) for slot in slots}) >= len(slots) - 1
    assert [len(hook.posts) for hook in clients] == [1, 1]


async def test_an_unchanged_document_is_asked_for_by_its_validator(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page = pages.add("<p>the giant sleeps")
    await rest.subscribe(page.url, hooks.add().url, "argus")
    await page.requested(4)
    assert [look.status for look in page.requests[:4]] == [200, 304, 304, 304]
    assert {look.if_none_match for look in page.requests[1:]} == {page.etag}


async def test_the_smallest_interval_counts(rest: Rest, pages: Pages, hooks: Hooks) -> None:
    page, slow, fast = pages.add("<p>the giant sleeps"), hooks.add(), hooks.add()
    await rest.subscribe(page.url, slow.url, "argus", interval=3600)
    await until(lambda: page.requests, "it is fetched")
    await rest.subscribe(page.url, fast.url, "argus", interval=1)
    await page.requested(2)
    page.text = "<p>the giant argus sleeps"
    await slow.notified()
    await fast.notified()
