"""Requests that meet: at once, again, and to change what there is."""

import asyncio

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.rest import OK, Rest


def body(pages: Pages, hooks: Hooks) -> dict[str, object]:
    return {
        "documentUrl": pages.add("text").url,
        "clientUrl": hooks.add().url,
        "keywords": ["argus"],
    }


async def test_two_identical_subscribes_at_once_are_one_200_and_one_409(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    for _ in range(10):
        same = body(pages, hooks)
        both = await asyncio.gather(*(rest.call("/subscribe", same) for _ in range(2)))
        assert sorted(answer.status for answer in both) == [200, 409]
        assert sorted(answer.body["code"] for answer in both) == ["0", "5"]


async def test_a_repeated_subscribe_with_its_key_gets_the_same_answer(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    same = body(pages, hooks)
    first = await rest.call("/subscribe", same, key="once")
    assert first.verdict == OK
    assert await rest.call("/subscribe", same, key="once") == first
    assert (await rest.call("/subscribe", same, key="twice")).body["code"] == "5"
    assert (await rest.call("/subscribe", same)).body["code"] == "5"


async def test_a_repeated_cancel_with_its_key_gets_the_same_answer(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    same = body(pages, hooks)
    await rest.call("/subscribe", same)
    answers = [await rest.call("/cancel", same, key=key) for key in ("once", "once", "twice")]
    assert [answer.body["code"] for answer in answers] == ["0", "0", "7"]


async def test_one_key_for_two_documents_is_two_requests(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    answers = [await rest.call("/subscribe", body(pages, hooks), key="once") for _ in range(2)]
    assert [answer.verdict for answer in answers] == [OK, OK]
    assert answers[0].body["id"] != answers[1].body["id"]


async def test_replace_changes_the_subscription_and_keeps_the_snapshot(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    first = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    assert await rest.subscribe(page.url, hook.url, "hera", replace=True) == first
    page.text = "<p>the giant sleeps while argus and hera watch"
    bodies = await hook.notified()
    assert {diff["keyword"] for notified in bodies for diff in notified["diffs"]} == {"hera"}
