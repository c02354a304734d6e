"""Receivers that refuse, hang, or are gone: what they and the others are notified."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGKILL, SIGTERM

from tests.harness.commands import vokter
from tests.harness.hooks import Hooks, receivers
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import until

LIVE = 20
BEFORE, AFTER, LATER = "<p>the giant sleeps", "<p>the giant argus sleeps", "<p>the giant wakes"


async def test_a_receiver_that_never_answers_holds_up_nobody(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, live = pages.add(BEFORE), [hooks.add() for _ in range(LIVE)]
    async with receivers() as others:
        others.gate.clear()
        dead = others.add()
        for hook in (dead, *live):
            await pair_rest.subscribe(page.url, hook.url, "*")
        await page.stored()
        page.text = AFTER
        await until(lambda: others.held, "the dead one is notified")
        for text, times in ((LATER, 1), (BEFORE, 2)):
            for hook in live:
                await hook.notified(times)
            assert len(others.held) - others.dropped() <= 1, "one at a time, and it still hangs"
            page.text = text
        others.gate.set()
        notified = await dead.notified(2)
    assert [body["diffs"][-1]["text"] for body in notified[:2]] == ["argus", "the giant wakes"]


async def test_a_refused_notification_is_retried_and_those_after_it_wait_their_turn(
    pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    hook.script = [500, 302, 404]
    await pair_rest.subscribe(page.url, hook.url, "*")
    await page.stored()
    page.upcoming += [AFTER, LATER]
    await hook.notified(5)
    posts = [(post.id, post.raw) for post in hook.posts]
    assert posts[0] == posts[1] == posts[2] == posts[3], "each time with the same id and bytes"
    assert posts[3] != posts[4]


async def test_what_waits_for_its_next_attempt_outlives_its_worker(
    pair: Deployment, pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    hook.script = [500, 500, 500]
    await pair_rest.subscribe(page.url, hook.url, "*")
    await page.stored()
    page.text = AFTER
    await hook.notified()
    for name in ("deliver", "deliver-2"):
        await asyncio.to_thread(pair[name].send, SIGKILL)
        pair[name].start()
    await hook.notified(4)
    assert len({(post.id, post.raw) for post in hook.posts}) == 1


async def test_a_worker_that_is_stopped_lets_its_posts_end_and_nobody_is_notified_twice(
    pair: Deployment, pair_rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    documents, clients = [pages.add(BEFORE) for _ in range(8)], [hooks.add() for _ in range(8)]
    froze = pair.froze()
    for page, hook in zip(documents, clients, strict=True):
        await pair_rest.subscribe(page.url, hook.url, "*")
        await page.stored()
    hooks.gate.clear()
    for page in documents:
        page.text = AFTER
    await until(lambda: len(hooks.held) >= len(clients), "all POSTs wait for their answer")
    workers = [pair[name] for name in ("deliver", "deliver-2")]
    for worker in workers:
        worker.signal(SIGTERM)
    await documents[0].requested()
    hooks.gate.set()
    for worker in workers:
        status = await asyncio.to_thread(worker.ended)
        assert status == 0 or pair.froze() > froze
        worker.start()
    for page in documents:
        page.text = LATER
    for hook in clients:
        await hook.notified(2)
    is_once = [len(hook.posts) for hook in clients] == [2] * len(clients)
    assert is_once or pair.froze() > froze


async def test_the_subscriptions_of_a_receiver_that_is_gone_end_and_their_owner_sees_why(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    hook.script = [410]
    await rest.subscribe(page.url, hook.url, "*")
    await page.stored()
    page.text = AFTER
    await hook.notified()
    ended = await rest.shows(
        lambda item: item.get("clientUrl") == hook.url and item["state"] == "expired", "the end"
    )
    assert ended["reason"] == "its receiver answered 410 Gone"


async def test_redeliver_sends_one_by_id_or_all_of_a_client_with_the_same_bytes(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    env, page, hook = environment(shared.settings), pages.add(BEFORE), hooks.add()
    start = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M")
    await rest.subscribe(page.url, hook.url, "*")
    await page.stored()
    page.upcoming += [AFTER, LATER]
    await hook.notified(2)
    first, second = [(post.id, post.raw) for post in hook.posts]
    by_id = await vokter(env, tmp_path, "redeliver", second[0])
    assert (by_id.status, by_id.err.split(";")[0]) == (0, "Redelivering 1")
    await hook.notified(3)
    line = ("redeliver", "--client", hook.url, "--since", start)
    assert (await vokter(env, tmp_path, *line)).err.startswith("Redelivering 2; ")
    await hook.notified(5)
    posts = [(post.id, post.raw) for post in hook.posts]
    assert posts == [first, second, second, first, second]
    unknown = await vokter(env, tmp_path, "redeliver", "nothing")
    assert (unknown.status, "there is no notification nothing" in unknown.err) == (1, True)
