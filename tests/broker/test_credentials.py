"""Pages behind a login, on a deployment: each tenant sees its own, and nobody a secret."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from subprocess import PIPE
from uuid import uuid4

import pytest
from aiohttp import encode_basic_auth, web

from infra.broker import LocalBroker
from schemas.records.changes import DocumentChanged
from schemas.records.topics import CHANGES, SUBSCRIPTION_REQUESTS
from streams.effects.topics import topic_specs
from tests.harness.commands import Command, vokter
from tests.harness.facts import everything, producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.private_site import PrivateSite, private_site
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client
from tests.harness.tenants import Tenant, two_tenants
from tests.harness.waiting import eventually, until
from tests.harness.web import served

KEYS = {"anna": "Bearer hush-of-anna", "bert": "Bearer hush-of-bert"}
VIEW = {"view": {"credentials": "news"}}


@pytest.fixture
def deployment(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path, is_kept=True, max_failures=3) as deployment:
        yield deployment


@pytest.fixture
async def site() -> AsyncIterator[PrivateSite]:
    async with private_site() as site:
        yield site


async def put(tenant: Tenant, site: PrivateSite) -> None:
    """Store a tenant's credentials, under the name that both use."""
    body = {"for": site.url, "header": f"Authorization: {KEYS[tenant.name]}"}
    async with tenant.http.put(f"{tenant.base}/credentials/news", json=body) as answer:
        assert answer.status == 200, await answer.text()


async def everything_of(tenant: Tenant, site: PrivateSite) -> dict[str, str]:
    """All that the API shows of the page to a tenant, by the path."""
    of, client = {"documentUrl": site.url}, {"client": tenant.hook.url}
    asked: list[tuple[str, dict[str, str]]] = [
        ("subscriptions", {}), ("documents", {}), ("changes", of), ("snapshots", of),
        ("snapshot", of), ("words", of), ("occurrences", of | {"word": "secret"}),
        ("differences", of), ("notifications", client), ("deliveries", client), ("feed", client),
        ("credentials", {}), ("health", {}), ("picture", of),
    ]  # fmt: skip
    found = {}
    for path, query in asked:
        async with tenant.http.get(f"{tenant.base}/{path}", params=query) as answer:
            found[path] = await answer.text()
    return found


async def test_two_tenants_with_one_url_and_one_name_see_their_own_pages_only(
    deployment: Deployment, pages: Pages, hooks: Hooks, site: PrivateSite, tmp_path: Path
) -> None:
    async with two_tenants(deployment, pages, hooks) as tenants:
        deployment.start(*ON_THE_WAY, "api")
        await tenants[0].rest.ready()
        for tenant in tenants:
            site.texts[KEYS[tenant.name]] = f"<p>A secret of {tenant.name}: old"
            await put(tenant, site)
            page = tenant.page
            page.url = site.url
            tenant.subscription = await tenant.watch(page, tenant.hook, **VIEW)
        await asyncio.gather(*(site.visited(each) for each in KEYS.values()))
        for tenant in tenants:
            site.texts[KEYS[tenant.name]] = f"<p>A secret of {tenant.name}: new"
        for tenant in tenants:
            await tenant.hook.notified(1)
        assert "" not in site.asked, "nobody visits without credentials"
        for tenant, other in (tenants, tenants[::-1]):
            texts = [post.raw.decode() for post in tenant.hook.accepted]
            assert len(texts) == 1
            assert f"secret of {tenant.name}" in texts[0]
            assert f"secret of {other.name}" not in texts[0]
            await eventually(partial(_knows_delivery, tenant), "the delivery is listed")
            shown = await everything_of(tenant, site)
            assert f"secret of {tenant.name}: new" in shown["snapshot"]
            assert f"secret of {tenant.name}" in shown["changes"] + shown["differences"]
            assert [path for path, text in shown.items() if f"of {other.name}" in text] == []
            by_id = {"documentUrl": site.url, "subscription": other.subscription}
            for path in ("changes", "snapshots", "snapshot", "words", "differences"):
                assert (await tenant.rest.get(f"/{path}", **by_id)).status == 404
            listed = json.loads(shown["credentials"])["credentials"]
            assert [each["lastUsed"] is not None for each in listed] == [True]
            assert "hush" not in str(shown)
        await _nothing_has_a_secret(deployment, tmp_path)


async def _knows_delivery(tenant: Tenant) -> bool:
    found = await tenant.rest.get("/deliveries", client=tenant.hook.url)
    return bool(found.body.get("deliveries"))


async def _nothing_has_a_secret(deployment: Deployment, folder: Path) -> None:
    """Look into files of store, tables and logs, into all records, and into an export."""
    contents = _contents(deployment.settings.data_dir)
    assert any(b"anna" in content for content in contents.values())
    assert [path for path, content in contents.items() if b"hush" in content] == []
    for topic in topic_specs(deployment.settings):
        for record in await everything(deployment.settings, topic.name):
            assert b"hush" not in (record.key or b"") + (record.value or b"")
            assert "hush" not in repr(record.headers)
    for arguments in (("export",), ("list", "--manager", "anna", "--json")):
        result = await vokter(environment(deployment.settings), folder, *arguments)
        assert result.status == 0, result
        assert '"credentials": "news"' in result.out
        assert "hush" not in result.out + result.err


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


async def typed(deployment: Deployment, stdin: str, *arguments: str) -> tuple[int, str]:
    """Run ``vokter`` with a text on standard input; return its status and all that it printed."""
    env = environment(deployment.settings)
    async with Command(env, deployment.settings.data_dir, *arguments, stdin=PIPE) as command:
        command.type(stdin)
        result = await command.ended()
    return result.status, result.out + result.err


async def test_credentials_of_the_command_line_are_used_listed_and_removed(
    shared: Deployment, rest: Rest, site: PrivateSite, hooks: Hooks
) -> None:
    user = encode_basic_auth("jo", "hush")
    site.texts[user] = "<p>the giant sleeps"
    set_ = ("credentials", "set", "intranet", "--for", site.url, "--basic", "jo")
    status, printed = await typed(shared, "hush\n", *set_)
    assert (status, "Stored intranet (basic) for http://127.0.0.1:" in printed) == (0, True)
    hook = hooks.add()
    await rest.subscribe(site.url, hook.url, "argus", view={"credentials": "intranet"})
    await site.visited(user)
    site.texts[user] = "<p>the giant argus sleeps"
    assert len(await hook.notified()) == 1
    status, printed = await typed(shared, "", "credentials", "list")
    assert (status, "intranet" in printed, "basic" in printed) == (0, True, True)
    assert "hush" not in printed

    status, printed = await typed(shared, "", "credentials", "remove", "intranet")
    assert (status, printed) == (0, "Removed intranet.\n")
    gone = "credentials intranet do not exist (vokter credentials set intranet)"
    await rest.shows(lambda item: item["lastError"] == gone, "why the page cannot be read")
    status, printed = await typed(shared, "", "credentials", "remove", "intranet")
    assert (status, "no credentials 'intranet'" in printed) == (1, True)


async def test_a_request_by_topic_uses_only_credentials_of_its_manager(
    shared: Deployment, rest: Rest, site: PrivateSite, hooks: Hooks
) -> None:
    owner, other = f"m-{uuid4().hex[:8]}", f"m-{uuid4().hex[:8]}"
    site.texts[KEYS["anna"]] = "<p>the giant sleeps"
    line = f"Authorization: {KEYS['anna']}\n"
    set_ = ("credentials", "set", "news", "--for", site.url, "--manager", owner)
    assert (await typed(shared, line, *set_, "--header-file", "-"))[0] == 0
    async with reading(shared.settings, CHANGES) as facts, producer(shared.settings) as kafka:
        for manager in (owner, other):
            body = {"documentUrl": site.url, "session": "s", "keywords": ["*"], "interval": 1}
            value = json.dumps(body | VIEW | {"manager": manager}).encode()
            topic = shared.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
            await kafka.send_and_wait(topic, value, key=site.url.encode())
        await site.visited(KEYS["anna"])

        async def failing() -> bool:
            result = await vokter(
                environment(shared.settings), shared.settings.data_dir,
                "list", "--json", "--manager", other,
            )  # fmt: skip
            return "credentials news do not exist" in result.out

        await eventually(failing, "the other manager's page fails with the reason", pause=1)
        assert "" not in site.asked
        site.texts[KEYS["anna"]] = "<p>the giant argus sleeps"
        await until(lambda: facts.of(DocumentChanged, url=site.url), "the owner's page has changed")
    assert (await typed(shared, "", "credentials", "remove", "news", "--manager", owner))[0] == 0


@pytest.mark.slow  # the stores' tests have renewals
async def test_a_session_that_each_answer_renews_lives_on_over_a_restart_of_its_worker(
    deployment: Deployment, hooks: Hooks
) -> None:
    valid, is_open, held = ["session=first"], asyncio.Event(), asyncio.Event()
    is_open.set()

    async def renewing(request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        if not is_open.is_set():
            held.set()
            await is_open.wait()
            return web.Response(status=503)  # to a worker that is gone
        if request.headers.get("Cookie") != valid[-1]:
            return web.Response(status=401)
        valid.append(f"session=number-{len(valid)}")
        headers = {"Set-Cookie": f"{valid[-1]}; Path=/; Max-Age=600; HttpOnly"}
        return web.Response(text="the giant sleeps", headers=headers)

    async with served(renewing) as (base,), client(deployment.settings.port) as rest:
        deployment.start(*ON_THE_WAY, "api")
        await rest.ready()
        cookies = "127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tfirst\n"
        set_ = ("credentials", "set", "site", "--cookies", "-")
        assert (await typed(deployment, cookies, *set_))[0] == 0
        await rest.subscribe(f"{base}/", hooks.add().url, "argus", view={"credentials": "site"})
        await until(lambda: len(valid) > 10, "ten visits are made")
        is_open.clear()
        await held.wait()  # what the visit before was answered is stored by now
        await asyncio.to_thread(deployment.stop, "fetch")
        is_open.set()
        deployment.start("fetch")
        before = len(valid)
        await until(lambda: len(valid) > before + 10, "ten more are made")
        (item,) = await rest.all()
        assert (item["state"], item["failures"]) == ("active", 0)
