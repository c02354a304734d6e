"""GET /subscriptions: its shape, its paging, and the state of each."""

from datetime import datetime

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.rest import Rest
from tests.harness.waiting import eventually


async def test_a_subscription_is_listed_with_its_options_and_its_last_check(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    document = page.url + "#part"
    name = await rest.subscribe(
        document, hook.url, "argus", "-", ignoreAdded=True, enableStemming=True, snippetOffset=7
    )

    listed = await rest.shows(
        lambda item: item["id"] == name and item["lastCheck"], "the last check"
    )
    times = [listed.pop("lastCheck"), listed.pop("nextCheck")]
    assert all(time.endswith("Z") and datetime.fromisoformat(time) for time in times)
    assert times[0] < times[1]
    assert listed == {
        "id": name,
        "documentUrl": document,
        "clientUrl": hook.url,
        "name": "",
        "keywords": ["argus"],
        "documentContentType": None,
        "onStatus": [],
        "view": None,
        "interval": 1,
        "maxInterval": None,
        "ignoreAdded": True,
        "ignoreRemoved": False,
        "ignoreReturns": False,
        "ignoreNoise": False,
        "notifyMoves": False,
        "notifyDropped": False,
        "scope": "sentence",
        "enableStemming": True,
        "filterStopwords": False,
        "ignoreCase": False,
        "snippetOffset": 7,
        "maxFailures": None,
        "notifyFailures": False,
        "failingAfter": 1,
        "crawl": None,
        "rule": None,
        "summary": False,
        "summaryWish": None,
        "summaryLanguage": None,
        "holdUnjudged": None,
        "lease": None,
        "patience": None,
        "patienceVisits": None,
        "hours": None,
        "maxPerDay": None,
        "timezone": None,
        "tags": [],
        "when": None,
        "notYetNotified": None,
        "pagesWithoutRoom": None,
        "state": "active",
        "flapping": False,
        "reason": None,
        "ended": None,
        "undoUntil": None,
        "failures": 0,
        "lastError": None,
        "waitingSince": None,
        "waitingFor": None,
        "title": "",
        "missing": None,
        "lostSince": None,
        "confidence": None,
    }


async def test_a_failing_document_shows_how_often_and_why(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    # What comes after them does not count, so there is all the time to see them.
    page.statuses, page.status = [418, 418], 429

    item = await rest.shows(lambda item: item["id"] == name and item["failures"] > 1, "failures")
    assert "418" in item["lastError"]
    page.status = 200
    item = await rest.shows(lambda item: item["id"] == name and not item["failures"], "none")
    assert item["lastError"] is None


async def test_a_change_can_be_followed_to_its_delivery(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()

    (delivery,) = await rest.history("deliveries", client=hook.url)
    (notified,) = await rest.history("notifications", client=hook.url)
    (change,) = await rest.history("changes", documentUrl=page.url)
    assert (delivery["state"], delivery["httpStatus"]) == ("delivered", 204)
    assert delivery["notification"] == notified["id"] == hook.posts[0].id
    assert (notified["change"], notified["subscription"]) == (change["id"], name)
    assert [region["added"]["text"] for region in change["regions"]] == ["the giant argus"]
    await rest.shows(lambda item: item["id"] == name, "the subscription")
    assert (await rest.get(f"/subscriptions/{name}")).body["id"] == name
    assert (await rest.get("/subscriptions/nobody")).body["code"] == "11"


async def test_a_cancelled_subscription_says_so(rest: Rest, pages: Pages, hooks: Hooks) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await rest.cancel(page.url, hook.url)
    await rest.shows(lambda item: item["id"] == name and item["state"] == "cancelled", "the end")


async def test_pages_hold_each_subscription_once_oldest_first(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    hook = hooks.add()
    names = [await rest.subscribe(pages.add("text").url, hook.url, "argus") for _ in range(5)]

    async def listed() -> bool:
        return len(await rest.listed(hook.url)) == len(names)

    await eventually(listed, "all are listed")
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await rest.get("/subscriptions", limit="2", **cursor)
        assert page.status == 200
        assert len(page.body["subscriptions"]) <= 2
        found += [item["id"] for item in page.body["subscriptions"]]
        if page.body["next"] is None:
            break
        cursor = {"cursor": page.body["next"]}
    assert len(found) == len(set(found))
    assert [name for name in found if name in names] == names


async def test_a_wrong_limit_or_cursor_is_6(rest: Rest) -> None:
    for name, value in (("limit", "0"), ("limit", "many"), ("cursor", "nowhere")):
        answer = await rest.get("/subscriptions", **{name: value})
        assert answer.body["code"] == "6"
        assert name in answer.body["detail"]
