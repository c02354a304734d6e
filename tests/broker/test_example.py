"""Notifications, from a page to the bytes at a webhook."""

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.rest import Rest

GREEK = "is the of the 100-eyed giant in Greek mythology."
NORSE = "Argus Panoptes is the name of the 100-eyed giant in Norse mythology."


async def test_the_originals_example_arrives_in_the_exact_json_body(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(f"<html><body><p>{GREEK}</p></body></html>"), hooks.add()
    words = "argus panoptes", "greek", "giant"
    options = {"ignoreCase": True, "snippetOffset": 200, "scope": "change"}
    await rest.subscribe(page.url, hook.url, *words, **options)
    await page.stored()
    assert hook.posts == [], "the first snapshot notifies nobody"
    page.text = f"<html><body><p>{NORSE}</p></body></html>"
    assert await hook.promised() == [
        {
            "status": "ok",
            "url": page.url,
            "diffs": [
                {
                    "event": "added",
                    "keyword": "argus panoptes",
                    "text": "Argus Panoptes",
                    "snippet": NORSE,
                },
                {"event": "removed", "keyword": "greek", "text": "Greek", "snippet": GREEK},
            ],
        }
    ]
    headers = hook.posts[0].headers
    assert headers["Content-Type"] == "application/json"
    assert len(headers["webhook-id"]) >= 16
    assert headers["webhook-timestamp"].isdecimal()


async def test_from_a_to_b_to_a_is_two_changes(rest: Rest, pages: Pages, hooks: Hooks) -> None:
    page, hook = pages.add(GREEK), hooks.add()
    await rest.subscribe(page.url, hook.url, "greek", ignoreCase=True)
    await page.stored()
    page.text = NORSE
    await hook.notified(1)
    page.text = GREEK
    first, second = await hook.notified(2)
    assert [diff["event"] for diff in first["diffs"]] == ["removed"]
    assert [diff["event"] for diff in second["diffs"]] == ["added"]
    assert hook.posts[0].id != hook.posts[1].id


async def test_options_are_those_of_each_subscription(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    before = "All of the people in this small village know very well where the river begins."
    page = pages.add(f"<p>{before}</p>")
    lenient, strict, anything = hooks.add(), hooks.add(), hooks.add()
    options = {"enableStemming": True, "filterStopwords": True, "ignoreCase": True}
    await rest.subscribe(page.url, lenient.url, "House of the Gods", **options)
    await rest.subscribe(page.url, strict.url, "House of the Gods")
    await rest.subscribe(page.url, anything.url, "*")
    await page.stored()
    page.text = f"<p>{before} There is a god house on the hill.</p>"
    (body,) = await lenient.notified()
    assert [(d["event"], d["keyword"]) for d in body["diffs"]] == [("added", "House of the Gods")]
    assert "god house" in body["diffs"][0]["text"]
    (body,) = await anything.notified()
    assert [(d["event"], d["keyword"]) for d in body["diffs"]] == [("added", "*")]
    await page.requested(2)
    assert strict.posts == []


async def test_a_client_is_notified_only_of_the_events_it_wants(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, no_added, no_removed = pages.add("<p>argus sleeps"), hooks.add(), hooks.add()
    await rest.subscribe(page.url, no_added.url, "argus", "hera", ignoreAdded=True)
    await rest.subscribe(page.url, no_removed.url, "argus", "hera", ignoreRemoved=True)
    await page.stored()
    page.text = "<p>hera sleeps"
    for hook, diff in ((no_added, ("removed", "argus")), (no_removed, ("added", "hera"))):
        (notified,) = await hook.notified()
        assert [(d["event"], d["keyword"]) for d in notified["diffs"]] == [diff]
