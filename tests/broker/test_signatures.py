"""Signed notifications, verified by the reference library; and one key for a deployment."""

import asyncio
from base64 import b64decode
from pathlib import Path

from standardwebhooks import Webhook, WebhookVerificationError

from connectors.kafka.claims import claim_key, claimed_key
from connectors.kafka.reading import messages_since
from infra.broker import LocalBroker
from schemas.records.claims import KeyClaimed
from schemas.records.topics import DEPLOYMENT
from streams.cli.setup.preparation import create_all_topics
from streams.effects.connections import kafka_access
from streams.effects.topics import topic_specs
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks, Post
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import OK, Rest


def is_verified(secret: str, post: Post) -> bool:
    try:
        Webhook(secret).verify(post.raw, dict(post.headers))
    except WebhookVerificationError:
        return False
    return True


async def test_notifications_are_verified_by_the_secret_and_after_a_rotation_by_both(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook, other = pages.add("<p>the giant"), hooks.add(), hooks.add()
    target = {"documentUrl": page.url, "clientUrl": hook.url}
    body = target | {"keywords": ["*"], "interval": 1}
    begun = await rest.call("/subscribe", body, key="once")
    first = begun.body["secret"]
    assert first.startswith("whsec_")
    assert (await rest.call("/subscribe", body, key="once")).body == begun.body
    replaced = await rest.call("/subscribe", body | {"replace": True})
    assert replaced.body["secret"] == first
    stranger = (await rest.call("/subscribe", body | {"clientUrl": other.url})).body["secret"]
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()

    rotated = await rest.call("/rotate", target, key="change")
    assert rotated.verdict == OK
    second = rotated.body["secret"]
    assert (await rest.call("/rotate", target, key="change")).body == rotated.body
    page.text = "<p>the giant sleeps"
    await hook.notified(2)
    by_command = await vokter(
        environment(shared.settings), tmp_path, "rotate", page.url, "--to", hook.url
    )
    third = by_command.out.strip()
    assert len({first, second, third, stranger}) == 4
    page.text = "<p>the giant wakes"
    await hook.notified(3)

    before, between, after = hook.posts
    assert [is_verified(each, before) for each in (first, second, third)] == [True, True, False]
    assert [is_verified(each, between) for each in (first, second, third)] == [True] * 3
    assert [is_verified(each, after) for each in (first, second, third)] == [False, True, True]
    assert not any(is_verified(stranger, post) for post in hook.posts)
    for url in (hook.url, other.url):
        await rest.cancel(page.url, url)
    gone = await rest.call("/rotate", target)
    assert (gone.status, gone.body["code"]) == (404, "7")


async def test_a_session_has_no_secret(rest: Rest, pages: Pages) -> None:
    page = pages.add("<p>the giant")
    body = {"documentUrl": page.url, "session": "mine", "keywords": ["argus"]}
    assert "secret" not in (await rest.call("/subscribe", body)).body
    assert (await rest.call("/rotate", {"documentUrl": page.url})).body["code"] == "2"
    await rest.call("/cancel", body)


async def test_no_secret_and_no_key_is_in_any_log_or_on_any_topic(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    target = {"documentUrl": page.url, "clientUrl": hook.url}
    begun = await rest.call("/subscribe", target | {"keywords": ["*"], "interval": 1})
    rotated = await rest.call("/rotate", target)
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()
    await rest.call("/cancel", target)

    notified = [answer.body["secret"].removeprefix("whsec_") for answer in (begun, rotated)]
    key = shared.settings.signing_file.read_bytes()
    secrets = [key, *(each.encode() for each in notified), *(b64decode(each) for each in notified)]
    assert len(key) >= 32
    for topic in topic_specs(shared.settings):
        async for message in messages_since(kafka_access(shared.settings), topic.name):
            assert not any(secret in (message.value or b"") for secret in secrets), topic.name
    for log in shared.logs():
        assert not any(secret in log.read_bytes() for secret in secrets), log


async def test_with_another_key_neither_the_api_nor_deliver_starts_until_it_is_claimed(
    broker: LocalBroker, tmp_path: Path
) -> None:
    here = environment(Deployment(broker.bootstrap, tmp_path / "here").settings)
    elsewhere = here | {"VOKTER_SIGNING_KEY": "another key than the one that is here"}
    assert (await vokter(here, tmp_path, "signing-key", "claim")).status == 0
    for line in (("worker", "deliver"), ("api",)):
        refused = await vokter(elsewhere, tmp_path, *line)
        assert refused.status == 1
        assert "this deployment signs webhooks with the key" in refused.err
        assert "vokter signing-key claim" in refused.err
        assert "another key than" not in refused.err
    assert (await vokter(elsewhere, tmp_path, "signing-key", "claim")).status == 0
    assert (await vokter(here, tmp_path, "api")).status == 1
    short = await vokter(here | {"VOKTER_SIGNING_KEY": "hidden"}, tmp_path, "api")
    assert (short.status, "hidden" in short.err) == (2, False)
    assert "VOKTER_SIGNING_KEY: " in short.err
    assert "must have at least 32 characters" in short.err


async def test_of_two_keys_made_at_the_same_time_one_holds(
    broker: LocalBroker, tmp_path: Path
) -> None:
    settings = Deployment(broker.bootstrap, tmp_path / "both").settings
    await create_all_topics(settings)
    claims = [KeyClaimed(each * 16, replaces=False, at=1) for each in "ab"]
    topic = settings.topic_prefix + DEPLOYMENT.name
    outcomes = await asyncio.gather(
        *(claim_key(kafka_access(settings), topic, claim) for claim in claims),
        return_exceptions=True,
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["AnotherKey", "NoneType"]
    holds = await claimed_key(kafka_access(settings), topic)
    assert holds == claims[outcomes.index(None)]
