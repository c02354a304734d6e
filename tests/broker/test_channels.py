"""Notifications to channels: e-mail and HTTP services on this machine, retries, crashes."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
from aiohttp import web

from infra.broker import LocalBroker
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.mailbox import Mailbox, open_mailbox
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import eventually, until
from tests.harness.web import served

BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"
TOKEN = "tk-4711-secret"  # noqa: S105 - of the test's own service


@pytest.fixture(scope="module")
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("channels")
    with Deployment(broker.bootstrap, folder, is_kept=True, retry_schedule=(0, 1, 1)) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        yield deployment


@pytest.fixture
async def own_rest(deployment: Deployment) -> AsyncIterator[Rest]:
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        yield rest
        await rest.tidy()


class Service:
    """A service that answers as ``script`` says, and then with 200."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.script: list[int] = []
        self.address = ""
        self.gate = asyncio.Event()
        self.gate.set()

    async def take(self, request: web.Request) -> web.Response:
        self.got.append(await request.json())
        await self.gate.wait()
        return web.Response(status=self.script.pop(0) if self.script else 200)


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    service = Service()
    async with served(service.take) as (url,):
        service.address = f"{url.replace('http://', 'json://')}/{TOKEN}"
        yield service
        service.gate.set()


async def create(rest: Rest, name: str, **channel: Any) -> str:
    answer = await rest.put(f"/credentials/{name}", {"channel": channel})
    assert answer.status == 200, answer
    assert answer.body["kind"] == "channel"
    return f"channel:{name}"


async def deliveries(rest: Rest, client_url: str) -> list[dict[str, Any]]:
    """What became of the notifications of a client, without those that are still retried."""
    answer = await rest.get("/deliveries", client=client_url)
    found: list[dict[str, Any]] = answer.body["deliveries"]
    return [each for each in found if each["state"] in ("delivered", "failed")]


def no_secret_in(deployment: Deployment) -> bool:
    return not any(TOKEN in log.read_text("utf-8", "replace") for log in deployment.logs())


@pytest.fixture
async def mailbox() -> AsyncIterator[Mailbox]:
    async with open_mailbox() as mailbox:
        yield mailbox


async def test_a_change_arrives_in_a_mailbox(rest: Rest, pages: Pages, mailbox: Mailbox) -> None:
    page = pages.add(BEFORE)
    channel = await create(rest, "mail", address=mailbox.address)
    await rest.subscribe(page.url, channel, "argus")
    await page.stored()
    page.text = AFTER
    (mail,) = await until(lambda: mailbox.mails, "the e-mail arrives")
    assert (mail.to, mail.subject) == (["io@olympus.test"], f"the giant argus sleeps: {page.url}")
    assert "<b>argus</b>" in mail.html
    facts = await eventually(lambda: deliveries(rest, channel), "it is recorded")
    assert [(each["state"], each["attempts"], each["httpStatus"]) for each in facts] == [
        ("delivered", 1, 250)
    ]


@pytest.mark.slow  # tests/agents/deliver has its crashes
async def test_a_digest_outlives_its_worker_and_is_one_e_mail(
    deployment: Deployment, own_rest: Rest, pages: Pages, mailbox: Mailbox, tmp_path: Path
) -> None:
    some = [pages.add(BEFORE), pages.add(BEFORE)]
    hour = (datetime.now(UTC).hour + 12) % 24
    channel = await create(
        own_rest, "digest", address=mailbox.address, digest="daily", hour=hour, timezone="UTC"
    )
    for page in some:
        await own_rest.subscribe(page.url, channel, "argus")
        await page.stored()

    async def held(count: int) -> list[Any] | None:
        found = (await own_rest.get("/deliveries", client=channel)).body["deliveries"]
        assert {each["state"] for each in found} <= {"held"}, found
        return found if len(found) == count else None

    some[0].text = AFTER
    (one,) = await eventually(lambda: held(1), "a change is held")
    assert one["nextAttempt"][11:16] == f"{hour:02}:00"
    deployment["deliver"].send(SIGKILL)
    deployment["deliver"].start()
    some[1].text = AFTER
    await eventually(lambda: held(2), "another worker holds both")
    assert mailbox.mails == []
    sent = await vokter(
        environment(deployment.settings), tmp_path, "redeliver", one["notification"]
    )
    assert sent.status == 0, sent.err

    async def both() -> list[Any] | None:
        found = await deliveries(own_rest, channel)
        return found if len(found) == len(some) else None

    facts = await eventually(both, "both are recorded")
    assert {(each["state"], each["attempts"]) for each in facts} == {("delivered", 1)}
    (mail,) = mailbox.mails
    assert mail.subject.endswith(", and 1 more")
    assert all(page.url in mail.html for page in some)
    assert mail.html.count("<b>argus</b>") == 2


@pytest.mark.slow  # tests/agents/deliver has its crashes
async def test_what_waits_for_hours_or_the_end_of_a_day_outlives_its_workers(
    deployment: Deployment,
    own_rest: Rest,
    pages: Pages,
    service: Service,
    hooks: Hooks,
    tmp_path: Path,
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    hour = (datetime.now(UTC).hour + 12) % 24
    channel = await create(own_rest, "calm", address=service.address)
    await own_rest.subscribe(page.url, channel, "*", hours=f"{hour}-{hour + 1}")
    await own_rest.subscribe(page.url, hook.url, "*", maxPerDay=1, timezone=afternoon())
    await page.stored()

    async def held(client: str, count: int) -> list[Any] | None:
        found = (await own_rest.get("/deliveries", client=client)).body["deliveries"]
        waits = [each for each in found if each["state"] == "held"]
        return waits if len(waits) == count else None

    for number, text in enumerate((AFTER, "<p>the giant wakes", "<p>the giant sings"), 1):
        page.text = text
        waits = await eventually(partial(held, channel, number), "it waits for its hours")
        assert waits[0]["reason"] == f"its hours are {hour}-{hour + 1} (UTC)"
        await eventually(partial(deliveries, own_rest, hook.url), "the first is recorded")
        if number > 1:
            waits = await eventually(partial(held, hook.url, number - 1), "it is over the limit")
            assert waits[0]["reason"] == "1 was sent on that day, as many as it wants"
        deployment["deliver"].send(SIGKILL)
        deployment["deliver"].start()
    (first,) = hook.bodies
    assert (first["status"], service.got) == ("ok", [])
    for receiver in (channel, hook.url):
        (newest, *_) = (await own_rest.get("/deliveries", client=receiver)).body["deliveries"]
        sent = await vokter(
            environment(deployment.settings), tmp_path, "redeliver", newest["notification"]
        )
        assert sent.status == 0, sent.err
    await until(lambda: service.got and len(hook.bodies) > 1, "what waited is sent together")
    (message,) = service.got
    assert f"3 waited: its hours are {hour}-{hour + 1} (UTC)." in message["message"]
    digest = hook.bodies[-1]
    assert (digest["status"], len(digest["notifications"])) == ("digest", 2)
    assert digest["notifications"][0]["held"]["reason"].startswith("1 was sent")


def afternoon() -> str:
    """A time zone in which the day does not end soon."""
    return "UTC" if datetime.now(UTC).hour < 12 else "Etc/GMT+12"


@pytest.mark.slow  # tests/agents/deliver/test_channels.py has the same
async def test_a_failing_service_is_retried_and_what_is_given_up_has_a_reason(
    deployment: Deployment, own_rest: Rest, pages: Pages, service: Service
) -> None:
    page = pages.add(BEFORE)
    service.script = [500, 503, 500, 500]
    channel = await create(own_rest, "room", address=service.address, title="{{ url }}")
    await own_rest.subscribe(page.url, channel, "*")
    await page.stored()
    page.text = AFTER
    found = await eventually(lambda: deliveries(own_rest, channel), "it is given up")
    assert len(service.got) == 3
    (given_up,) = found
    assert given_up["state"] == "failed"
    assert (given_up["reason"], given_up["attempts"]) == ("answered 500", 3)
    page.text = "<p>the giant wakes"
    await until(lambda: len(service.got) >= 5, "the next one is retried, and accepted")
    assert service.got[-1]["title"] == page.url
    assert TOKEN not in str(await deliveries(own_rest, channel))
    assert TOKEN not in str((await own_rest.get("/credentials")).body)
    assert no_secret_in(deployment)


@pytest.mark.slow  # tests/agents/deliver has its crashes
async def test_a_killed_worker_loses_no_notification(
    deployment: Deployment, own_rest: Rest, pages: Pages, service: Service
) -> None:
    page = pages.add(BEFORE)
    channel = await create(own_rest, "killed", address=service.address)
    await own_rest.subscribe(page.url, channel, "*")
    await page.stored()
    service.gate.clear()
    page.text = AFTER
    await until(lambda: service.got, "it is being sent")
    deployment["deliver"].send(SIGKILL)
    service.gate.set()
    deployment["deliver"].start()
    await eventually(lambda: deliveries(own_rest, channel), "it is sent again, and recorded")
    assert 1 < len(service.got) <= 2


async def test_a_test_notification_goes_to_a_channel(
    rest: Rest, pages: Pages, service: Service
) -> None:
    page = pages.add(BEFORE)
    channel = await create(rest, "tested", address=service.address)
    await rest.subscribe(page.url, channel, "argus")
    answer = await rest.call("/test", {"documentUrl": page.url, "clientUrl": channel})
    assert answer.status == 200, answer
    (got,) = await until(lambda: service.got, "the test arrives")
    assert got["title"] == f"Test notification: {page.url}"


async def test_commands_subscribe_a_channel_and_send_again(
    shared: Deployment, rest: Rest, pages: Pages, service: Service, tmp_path: Path
) -> None:
    page, env = pages.add(BEFORE), environment(shared.settings)
    channel = await create(rest, "again", address=service.address)
    made = await vokter(
        env, tmp_path, "subscribe", page.url, "*", "--to", channel, "--interval", "1"
    )
    assert made.status == 0, made.err
    assert "secret" not in made.out + made.err
    await page.stored()
    page.text = AFTER
    await eventually(lambda: deliveries(rest, channel), "it is recorded")
    arguments = ("redeliver", "--client", channel, "--since", "2026-01-01")
    sent = await vokter(env, tmp_path, *arguments)
    assert sent.status == 0, sent.err
    await until(lambda: len(service.got) == 2, "it is sent again")
    assert service.got[0] == service.got[1]
    await rest.cancel(page.url, channel)


async def test_what_is_no_channel_is_refused(rest: Rest, pages: Pages) -> None:
    page = pages.add(BEFORE)
    body = {"documentUrl": page.url, "clientUrl": "channel:nobody", "keywords": ["*"]}
    answer = await rest.call("/subscribe", body)
    assert answer.body["code"] == "2"
    assert "PUT /credentials/nobody" in answer.body["detail"]
    answer = await rest.put("/credentials/bad", {"channel": f"nonsense://{TOKEN}"})
    assert answer.body["code"] == "6"
    assert "Apprise" in answer.body["detail"]
    assert TOKEN not in str(answer.body)
