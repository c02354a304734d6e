"""Documents that cannot be read: what counts, what does not, and how it ends."""

import asyncio

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.rest import Rest

DEFAULT = 10
FEW = 3
"""VOKTER_MAX_FAILURES of the deployment with two workers."""
BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"


async def test_ten_failures_in_a_row_end_every_subscription_with_a_timeout(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, clients = pages.add(BEFORE), (hooks.add(), hooks.add())
    for hook in clients:
        await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    # No more than that many, for it is fetched until its watch has ended.
    page.statuses = [500] * DEFAULT
    for hook in clients:
        assert await hook.promised() == [{"status": "timeout", "url": page.url, "diffs": []}]
    assert page.statuses == []
    for hook in clients:
        ended = await rest.shows(
            lambda item: item.get("clientUrl") == hook.url and item["state"] == "expired",  # noqa: B023 - awaited here
            "the end",
        )
        assert "500" in ended["reason"]


async def test_fewer_failures_are_enough_where_it_is_set_so(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    page.statuses = [404] * FEW
    await pair_rest.subscribe(page.url, hook.url, "argus")
    assert await hook.promised() == [{"status": "timeout", "url": page.url, "diffs": []}]
    assert page.statuses == [], "a page that was never read counts as any other"


async def test_a_success_in_between_resets_the_count(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    statuses = [404, 404, 200, 500, 404]
    page.statuses = statuses.copy()
    await pair_rest.subscribe(page.url, hook.url, "argus")
    await page.requested(len(statuses))
    page.text = AFTER
    assert [notified["status"] for notified in await hook.notified()] == ["ok"]
    assert [look.status for look in page.requests][: len(statuses)] == statuses


async def test_429_and_503_with_retry_after_postpone_and_do_not_count(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    plain, later, unavailable = refused = [pages.add(BEFORE) for _ in range(3)]
    clients = [hooks.add() for _ in refused]
    plain.statuses, later.statuses, unavailable.statuses = [429] * 4, [429] * 4, [503] * 4
    later.headers = unavailable.headers = {"Retry-After": "0"}
    for page, hook in zip(refused, clients, strict=True):
        await pair_rest.subscribe(page.url, hook.url, "argus")
    await asyncio.gather(*(page.requested(FEW + 1) for page in refused))
    await asyncio.gather(*(page.stored() for page in refused))
    for page, hook in zip(refused, clients, strict=True):
        page.text = AFTER
        assert [notified["status"] for notified in await hook.notified()] == ["ok"]


async def test_retry_after_is_waited_for(rest: Rest, pages: Pages, hooks: Hooks) -> None:
    page, other = pages.add(BEFORE), pages.add(BEFORE)
    for each in (page, other):
        await rest.subscribe(each.url, hooks.add().url, "argus")
        await each.stored()
    page.status, page.headers = 503, {"Retry-After": "3600"}
    await page.requested()
    known = len(page.requests)
    await other.requested(3)
    assert len(page.requests) == known
