"""One fetch per document and due time, read once for each view of it."""

from pathlib import Path

from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually, until

PRICE = '<html lang="de"><p>Mixer</p><p id="price">{}</p></html>'
BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"


async def test_each_client_is_notified_by_its_own_reading_of_one_fetch(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, mine, plain, strangers = pages.add(BEFORE), hooks.add(), hooks.add(), hooks.add()
    await pair_rest.subscribe(page.url, mine.url, "argus")
    await pair_rest.subscribe(page.url, plain.url, "argus", documentContentType="text/plain")
    await pair_rest.subscribe(page.url, strangers.url, "argus", documentContentType="image/png")
    timeout = {"status": "timeout", "url": page.url, "diffs": []}
    assert await strangers.promised() == [timeout], "its own reading has failed"
    page.text = AFTER
    (read,), (markup,) = await mine.notified(), await plain.notified()
    assert [diff["text"] for diff in read["diffs"]] == ["argus"]
    assert [diff["snippet"] for diff in read["diffs"]] == ["the giant argus sleeps"]
    assert [diff["snippet"] for diff in markup["diffs"]] == ["<p>the giant argus sleeps"]

    async def are_as_read() -> bool:
        states = {item["clientUrl"]: item["state"] for item in await pair_rest.all()}
        found = [states[each.url] for each in (mine, plain, strangers)]
        return found == ["active", "active", "expired"]

    await eventually(are_as_read, "the one without a reading has expired, and it is recorded")


async def test_a_client_that_selects_a_part_is_notified_of_that_part_alone(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, mine, part = pages.add("<h1>giants</h1><p>zeus"), hooks.add(), hooks.add()
    await pair_rest.subscribe(page.url, mine.url, "*")
    await pair_rest.subscribe(page.url, part.url, "*", view={"select": [{"css": "p"}]})
    await page.requested(2)  # both have a baseline
    page.text = "<h1>many giants</h1><p>zeus"
    (whole,) = await mine.notified()
    page.text = "<h1>many giants</h1><p>zeus and hera"
    (seen,) = await part.notified()
    assert [diff["snippet"] for diff in whole["diffs"]] == ["many giants\nzeus"]
    assert {diff["snippet"] for diff in seen["diffs"]} == {"zeus", "zeus and hera"}
    listed = {item["clientUrl"]: item["view"] for item in await pair_rest.all()}
    assert listed[part.url] == {"select": [{"css": "p"}]}
    assert listed[mine.url] is None


async def test_a_price_is_notified_when_it_crosses_a_limit_and_its_series_is_kept(
    pair: Deployment, pair_rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, mine = pages.add(PRICE.format("21,00 €")), hooks.add()
    await pair_rest.subscribe(
        page.url,
        mine.url,
        view={"select": [{"css": "#price"}], "number": {}},
        when={"below": 20},
        notifyFailures=True,
    )
    await page.stored()
    for price in ("20,50 €", "19,00 €", "20,10 €", "EUR 18.5"):  # 20,10 is too near to count again
        page.text = PRICE.format(price)
        await page.stored()
    page.text = PRICE.format("ausverkauft")
    below, lost = await mine.notified(2)
    assert below["number"] == {
        "before": "20.50",
        "after": "19",
        "unit": "EUR",
        "why": ["below 20 EUR (counts again from 20.2 EUR on)"],
    }
    assert lost["status"] == "lost"
    assert "there is no number in 'ausverkauft'" in lost["reason"]
    points = (await pair_rest.get("/numbers", documentUrl=page.url, limit="2")).body
    assert [each["value"] for each in points["numbers"]] == ["18.50", "20.10"]
    older = await pair_rest.get("/numbers", documentUrl=page.url, cursor=points["next"])
    assert [each["value"] for each in older.body["numbers"]] == ["19", "20.50", "21"]
    printed = await vokter(environment(pair.settings), tmp_path, "series", page.url)
    lines = [line.partition(",")[2] for line in printed.out.splitlines()]
    assert lines == ["value,unit", "21,EUR", "20.50,EUR", "19,EUR", "20.10,EUR", "18.50,EUR"]

    async def found() -> list[str]:
        env = environment(pair.settings)
        return (await vokter(env, tmp_path, "search", "eur")).out.splitlines()

    assert page.url in (await eventually(found, "record has the change"))[1]


async def test_clients_with_different_views_cost_one_fetch_per_due_time(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, other = pages.add(BEFORE), pages.add(BEFORE)
    for kind in (None, "text/plain", "text/html"):
        more = {} if kind is None else {"documentContentType": kind}
        await pair_rest.subscribe(page.url, hooks.add().url, "argus", **more)
    await pair_rest.subscribe(other.url, hooks.add().url, "argus")
    await other.requested(2)
    before = len(page.requests), len(other.requests)
    await until(lambda: len(other.requests) >= before[1] + 10, "ten due times have passed")
    asked = len(page.requests) - before[0]
    assert 5 <= asked < 20, "as for a page with one subscription, and not three times as many"


async def test_a_client_that_takes_404_for_content_is_notified_when_the_page_appears(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, patient, other = pages.add("<p>nothing here"), hooks.add(), hooks.add()
    page.status, page.etags = 404, False
    await pair_rest.subscribe(page.url, patient.url, "argus", onStatus=[404])
    await pair_rest.subscribe(page.url, other.url, "argus")
    timeout = {"status": "timeout", "url": page.url, "diffs": []}
    assert await other.promised() == [timeout], "to the others it is a failure"
    page.status, page.text = 200, AFTER
    (appeared,) = await patient.notified()
    assert [diff["text"] for diff in appeared["diffs"]] == ["the giant argus sleeps"]


async def test_clients_that_ask_are_notified_of_failures_and_those_that_allow_all_are_kept(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, patient, usual = pages.add(BEFORE), hooks.add(), hooks.add()
    await pair_rest.subscribe(
        page.url, patient.url, "argus", maxFailures="never", notifyFailures=True
    )
    await pair_rest.subscribe(page.url, usual.url, "argus")
    await page.stored()
    page.status = 500
    assert await usual.promised() == [{"status": "timeout", "url": page.url, "diffs": []}]
    page.status, page.text = 200, AFTER
    found = await patient.notified(3)
    assert [body["status"] for body in found] == ["failing", "recovered", "ok"]
    assert [body["diffs"] for body in found[:2]] == [[], []]
    (listed,) = await pair_rest.listed(patient.url)
    assert (listed["state"], listed["maxFailures"], listed["failures"]) == ("active", "never", 0)
