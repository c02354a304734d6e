"""Two tenants attack each other with all that an API key allows, and reach nothing."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from aiokafka import ConsumerRecord

from infra.broker import LocalBroker
from infra.ports import any_free
from schemas.codec import wire
from schemas.records.deliveries import Delivered, Redeliver
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from schemas.records.topics import ATTEMPTS, DEAD_LETTERS, DELIVERIES, NOTIFICATIONS
from streams.agents.deliver.outbox.challenge_budgets import PER_HOST
from tests.harness.commands import vokter
from tests.harness.facts import producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.tenants import BEFORE, QUOTA, CarefulHook, Tenant, two_tenants
from tests.harness.waiting import until

STREAMS = 20
"""How many streams the API serves one manager."""


@pytest.fixture
def deployment(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(
        broker.bootstrap,
        tmp_path,
        is_kept=True,
        max_failures=3,
        verify_webhooks="on",
        retry_schedule=(0, 1, 3600),
    ) as deployment:
        yield deployment


@pytest.mark.slow  # test_managers.py and test_credentials.py have two tenants at peace
async def test_two_tenants_attack_each_other_and_reach_nothing(
    deployment: Deployment, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    async with two_tenants(deployment, pages, hooks) as tenants:
        deployment.start(*ON_THE_WAY, "api")
        anna, bert = tenants
        await anna.rest.ready()
        for tenant in tenants:
            tenant.subscription = await tenant.watch(tenant.page, tenant.hook)
            await tenant.page.stored()
        await _change(tenants, "wakes", accepted=1)

        both = ((anna, bert), (bert, anna))
        for attack in (_misdirect, _challenge, _share_a_key, _exhaust, _misread, _spy):
            await asyncio.gather(
                *(attack(attacker, victim, pages, hooks) for attacker, victim in both)
            )
        await _change(tenants, "yawns", accepted=2)
        for tenant in tenants:
            tenant.hook.refusal = 410
        await asyncio.gather(*(_misdirect(*pair, pages, hooks) for pair in both))
        await _change(tenants, "leaves", accepted=3)

        asked = sum(len(hook.asked) for hook in hooks.all())
        assert asked == 2 * PER_HOST, "each has used up its own challenges of the host"
        for attacker, victim in both:
            await _forge(deployment, attacker, victim, hooks, tmp_path)
        for tenant in tenants:
            assert (await tenant.state(tenant.subscription))["state"] == "active"
            assert len({post.id for post in tenant.hook.accepted}) == 3
            assert len(tenant.hook.accepted) == 3, "notified once of each change"
            texts = [post.body["diffs"][-1]["text"] for post in tenant.hook.accepted]
            assert texts == ["wakes", "yawns", "leaves"], "read as text, not as markup"
            await tenant.rest.tidy()


async def _change(tenants: list[Tenant], word: str, accepted: int) -> None:
    """Each page changes, and each tenant is notified of it with its own secret."""
    for tenant in tenants:
        tenant.page.text = f"<p>the giant <b>{word}</b>"
    for tenant in tenants:
        await until(
            lambda: len(tenant.hook.accepted) >= accepted,  # noqa: B023 - awaited here
            f"{tenant.name} is notified of {word}",
        )


async def _misread(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """5: ask for the victim's page as an image, which fails, and as plain text."""
    name = await attacker.watch(victim.page, _hook(hooks), documentContentType="image/png")
    await attacker.watch(victim.page, _hook(hooks), documentContentType="text/plain")
    await attacker.rest.shows(
        lambda item: item["id"] == name and item["state"] == "expired",
        "that it cannot be read as an image",
    )


async def _misdirect(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """6: name the victim's webhook, which refuses the attacker's notifications."""
    noise, before = pages.add(BEFORE), len(victim.hook.posts)
    body = {"documentUrl": noise.url, "clientUrl": victim.hook.url, "keywords": ["*"]}
    answer = await attacker.rest.call("/subscribe", body | {"interval": 1})
    assert answer.status == 200, answer
    await noise.stored()
    noise.text = "<p>the giant shouts"
    await until(lambda: len(victim.hook.posts) > before, "the victim's webhook has refused it")
    assert victim.hook.posts[-1].status == victim.hook.refusal
    if victim.hook.refusal == 410:
        await attacker.rest.shows(
            lambda item: item["id"] == answer.body["id"] and item["state"] == "expired",
            "that the 410 has ended the attacker's own",
        )
    else:
        await attacker.rest.cancel(noise.url, victim.hook.url)


async def _challenge(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """8: use up the challenges of the host on which the victim's webhooks are, too."""
    silent, noise = [_hook(hooks) for _ in range(PER_HOST + 2)], pages.add(BEFORE)
    for hook in silent:
        hook.echoes = False
        await attacker.watch(noise, hook)
    await noise.stored()
    noise.text = "<p>the giant shouts"
    await until(lambda: any(hook.asked for hook in silent), "a challenge is made")
    for hook in silent:
        await attacker.rest.cancel(noise.url, hook.url)


async def _share_a_key(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """7: ask for the same with the same Idempotency-Key at the same time."""
    page, hook = pages.add(BEFORE), _hook(hooks)
    body = {"documentUrl": page.url, "clientUrl": hook.url, "keywords": ["*"], "interval": 60}
    for number in range(10):
        mine, yours = await asyncio.gather(
            *(each.rest.call("/subscribe", body, f"{number}") for each in (attacker, victim))
        )
        assert (mine.status, yours.status) == (200, 200)
        assert mine.body["secret"] != yours.body["secret"]
        for each in (attacker, victim):
            await each.rest.cancel(page.url, hook.url)


async def _exhaust(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """8, 9: more subscriptions than the quota, and more streams than are served, at once."""
    page = pages.add(BEFORE)
    body = {"documentUrl": page.url, "keywords": ["*"], "interval": 3600}
    asked = [body | {"session": f"{attacker.name} {n}"} for n in range(5 * QUOTA)]
    answers = await asyncio.gather(*(attacker.rest.call("/subscribe", each) for each in asked))
    granted = [ask for ask, answer in zip(asked, answers, strict=True) if answer.status == 200]
    assert len(granted) == QUOTA - 1, "one was there before"
    for ask in granted:
        target = {name: ask[name] for name in ("documentUrl", "session")}
        assert (await attacker.rest.call("/cancel", target)).status == 200
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(attacker.http.get(f"{attacker.base}/events"))
            for _ in range(STREAMS + 5)
        ]
        assert sorted(stream.status for stream in streams) == [200] * STREAMS + [429] * 5
        async with victim.http.get(f"{victim.base}/feed", params={"client": victim.hook.url}) as it:
            assert it.status == 200


async def _spy(attacker: Tenant, victim: Tenant, pages: Pages, hooks: Hooks) -> None:
    """11: ask what was there before, and what names inside lead to."""
    hook = _hook(hooks)
    name = await attacker.watch(victim.page, hook, interval=3600)
    assert (await attacker.state(name))["state"] == "active"
    differences = await attacker.rest.get("/differences", documentUrl=victim.page.url)
    assert "sleeps" not in str(differences.body), "it was removed before the attacker subscribed"
    assert (await attacker.rest.get(f"/subscriptions/{victim.subscription}")).status == 404
    await attacker.rest.cancel(victim.page.url, hook.url)
    inside = pages.add(BEFORE)
    inside.url = f"http://localhost:{any_free()}/"
    name = await attacker.watch(inside, hook)
    failed = await attacker.rest.shows(
        lambda item: item["id"] == name and item["state"] == "expired", "that it is unreachable"
    )
    assert "127.0.0.1" not in f"{failed['lastError']} {failed['reason']}"


async def _forge(
    deployment: Deployment, attacker: Tenant, victim: Tenant, hooks: Hooks, folder: Path
) -> None:
    """10: a redelivery of the victim's notification to the attacker, as a dead letter too."""
    thief, prefix = _hook(hooks), deployment.settings.topic_prefix
    async with (
        reading(deployment.settings, DEAD_LETTERS) as letters,
        reading(deployment.settings, NOTIFICATIONS, since=0) as notified,
        reading(deployment.settings, DELIVERIES, since=0) as deliveries,
        producer(deployment.settings) as kafka,
    ):
        mine = await until(
            lambda: notified.of(Notification, subscription=victim.subscription), "it is there"
        )
        await until(lambda: deliveries.of(Delivered, notification=mine[0].id), "it was delivered")
        forged = wire.encode(Redeliver(replace(mine[0], receiver=Receiver(thief.url))))
        key, origin = thief.url.encode(), {"topic": ATTEMPTS.name, "partition": 0, "offset": 0}
        headers = [(f"__connect.errors.{k}", str(v).encode()) for k, v in origin.items()]
        await kafka.send_and_wait(prefix + DEAD_LETTERS.name, forged, key=key, headers=headers)
        await kafka.send_and_wait(prefix + ATTEMPTS.name, forged, key=key)

        def found() -> list[ConsumerRecord]:
            return [letter for letter in letters.seen if letter.key == key]

        refused = await until(lambda: f if len(f := found()) == 2 else None, "deliver refused one")
        ids = [f"{letter.partition}:{letter.offset}" for letter in refused]
        env = environment(deployment.settings)
        done = await vokter(env, folder, "dead-letters", "replay", ids[0], "--yes")
        assert done.status == 1, done
    assert not thief.posts


def _hook(hooks: Hooks) -> CarefulHook:
    hook = hooks.add(CarefulHook)
    assert isinstance(hook, CarefulHook)
    return hook
