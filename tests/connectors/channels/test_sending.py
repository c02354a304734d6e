"""Messages to channels: real sending processes, and servers on this machine."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiosmtpd.smtp import SMTP

from connectors.channels.processes import SendingProcesses, environment
from connectors.channels.work import Answer, Dated, Egress, Links, Work
from schemas.records.changes import Diff
from schemas.records.field_types import MAX_TITLE
from schemas.records.notifications import Notification
from tests.fakes.outgoing import PAGE, notification
from tests.harness.web import served

pytestmark = pytest.mark.asyncio(loop_scope="module")

HERE = Egress(networks=("127.0.0.0/8",))
DIFF = Diff("added", "argus", "Argus sleeps.", "Argus <b> sleeps.")
HINTS = ("X-Click", "X-Tags", "X-Priority")
NEWS = replace(notification("n"), diffs=(DIFF,), title="Giants")


class Inbox:
    """A service that gets what plug-ins POST; ``status`` is what it answers."""

    def __init__(self) -> None:
        self.url = ""
        self.got: list[Any] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.shown: Mapping[str, str] = {}
        self.gate = asyncio.Event()
        self.gate.set()

    async def take(self, request: web.Request) -> web.Response:
        self.got.append(await request.json())
        self.shown = request.headers
        await self.gate.wait()
        return web.Response(status=self.status, headers=self.headers)

    @property
    def address(self) -> str:
        return self.url.replace("http://", "json://")


@pytest_asyncio.fixture(loop_scope="module")
async def inbox() -> AsyncIterator[Inbox]:
    inbox = Inbox()
    async with served(inbox.take) as (inbox.url,):
        yield inbox
        inbox.gate.set()


class Sending:
    """Processes for all tests here: to start one takes longer than a test."""

    def __init__(self, processes: SendingProcesses) -> None:
        self.processes = processes

    async def __call__(
        self, address: str, fact: Notification | None = NEWS, egress: Egress = HERE, **more: Any
    ) -> Answer:
        return await self.processes.send("m", Work(address, egress, fact, **more))


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def send() -> AsyncIterator[Sending]:
    async with SendingProcesses() as processes:
        yield Sending(processes)


async def test_a_service_gets_the_title_and_the_text_of_what_changed(
    send: Sending, inbox: Inbox
) -> None:
    assert await send(inbox.address) == Answer(status=200)
    (got,) = inbox.got
    assert got["title"] == "Argus sleeps: Giants"
    assert got["message"].splitlines()[0] == "added: Argus sleeps."
    assert "\nhttp://document.test/\n" in got["message"]
    assert "vokter" not in got["message"]
    await send(inbox.address, links=Links(shown=(("Edit", "https://vokter.test/watch/s"),)))
    assert "\nEdit: https://vokter.test/watch/s" in inbox.got[1]["message"]


async def test_a_message_is_in_the_language_of_its_channel(send: Sending, inbox: Inbox) -> None:
    assert await send(inbox.address, language="ja") == Answer(status=200)
    assert inbox.got[0]["message"].splitlines()[0] == "追加: Argus sleeps."
    assert await send(inbox.address) == Answer(status=200)
    assert inbox.got[1]["message"].splitlines()[0] == "added: Argus sleeps."


async def test_ntfy_gets_the_link_the_tags_and_how_urgent_it_is(
    send: Sending, inbox: Inbox
) -> None:
    address = inbox.url.replace("http://", "ntfy://") + "/giants"
    lost = replace(NEWS, status="lost", diffs=(), tags=("greek gods", "götter"), url=f"{PAGE}%2Fa")
    assert await send(address, lost) == Answer(status=200)
    assert inbox.got[0]["topic"] == "giants"
    shown = {name: inbox.shown.get(name) for name in HINTS}
    assert shown == dict(zip(HINTS, (f"{PAGE}%2Fa", "greek_gods,warning", "high"), strict=True))
    await send(f"{address}?priority=low&tags=owl&click=https://own.test/", lost)
    shown = {name: inbox.shown.get(name) for name in HINTS}
    own = "https://own.test/", "greek_gods,owl,warning", "low"
    assert shown == dict(zip(HINTS, own, strict=True))
    await send(address, links=Links("https://vokter.test/notification/n"))
    assert inbox.shown["X-Click"] == "https://vokter.test/notification/n"
    assert "X-Priority" not in inbox.shown


@pytest_asyncio.fixture(loop_scope="module")
async def mailbox() -> AsyncIterator[tuple[str, list[Any]]]:
    mails = list[Any]()

    class Mailbox:
        async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802 - its name
            mails.append(envelope)
            return "250 OK"

    server = await asyncio.get_running_loop().create_server(lambda: SMTP(Mailbox()), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"mailto://127.0.0.1:{port}/?from=vokter@olympus.test&to=io@olympus.test", mails


async def test_a_mailbox_gets_an_e_mail_in_html_with_the_texts_of_pages_escaped(
    send: Sending, mailbox: tuple[str, list[Any]]
) -> None:
    address, mails = mailbox
    assert await send(address) == Answer(status=250)
    (mail,) = mails
    assert mail.rcpt_tos == ["io@olympus.test"]
    got = message_from_bytes(mail.content, policy=policy.default)
    assert got["Subject"] == "Argus sleeps: Giants"
    html = got.get_body(("html",))
    assert html is not None
    assert "Argus &lt;b&gt; sleeps." in html.get_content()


async def test_a_mail_program_unsubscribes_with_the_link_that_stops_the_watch(
    send: Sending, mailbox: tuple[str, list[Any]]
) -> None:
    address, mails = mailbox
    stop = f"https://vokter.test/link/{'a-_' * 60}"
    await send(address, links=Links(stop=stop))
    await send(address)
    got, without = (message_from_bytes(each.content, policy=policy.default) for each in mails)
    assert got["List-Unsubscribe"] == f"<{stop}>"
    assert got["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert "List-Unsubscribe" not in without


async def test_a_digest_is_one_e_mail_and_one_message(
    send: Sending, mailbox: tuple[str, list[Any]], inbox: Inbox
) -> None:
    digest = (Dated(NEWS, "Monday"), Dated(replace(NEWS, id="m", url="http://b.test/"), "Friday"))
    address, mails = mailbox
    assert await send(address, None, digest=digest) == Answer(status=250)
    (mail,) = mails
    text = message_from_bytes(mail.content, policy=policy.default)
    assert text["Subject"] == "Argus sleeps: Giants, and 1 more"
    html = text.get_body(("html",))
    assert html is not None
    assert html.get_content().count("Argus &lt;b&gt; sleeps.") == 2
    assert await send(inbox.address, None, digest=digest, body="* {{ url }}") == Answer(status=200)
    (got,) = inbox.got
    assert got["message"].endswith("Giants\nhttp://document.test/\nMonday\n* http://document.test/")


@pytest.mark.parametrize("letter", ["a", "é", "漢", "\U0001f600", "&"])
async def test_a_page_with_a_long_title_is_mailed(
    send: Sending, mailbox: tuple[str, list[Any]], letter: str
) -> None:
    address, mails = mailbox
    assert await send(address, replace(NEWS, title=letter * MAX_TITLE)) == Answer(status=250)
    assert len(mails) == 1


@pytest.mark.parametrize(("status", "wait"), [(429, 120), (500, None), (410, None)])
async def test_what_a_service_answers_is_the_reason_and_no_address_is_in_it(
    send: Sending, inbox: Inbox, status: int, wait: int | None
) -> None:
    inbox.status = status
    inbox.headers = {"Retry-After": "120"} if wait else {}
    assert await send(f"{inbox.address}/secret") == Answer(f"answered {status}", status, wait)


async def test_a_redirect_is_not_followed(send: Sending, inbox: Inbox) -> None:
    async with served(inbox.take) as (other,):
        inbox.status, inbox.headers = 307, {"Location": other}
        assert await send(inbox.address) == Answer("answered 307", 307)
        assert len(inbox.got) == 1
        inbox.got.clear()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_an_address_that_the_egress_policy_refuses_gets_nothing(
    send: Sending, inbox: Inbox, name: str
) -> None:
    address = inbox.address.replace("127.0.0.1", name)
    answer = await send(address, egress=Egress())
    again = await send(inbox.address)
    assert answer.reason == ("address of the channel's server is private or reserved: not allowed")
    assert again.status == 200, "each message is sent by its own policy"
    assert len(inbox.got) == 1


async def test_a_redirect_that_an_address_allows_is_refused_by_the_policy(
    send: Sending, inbox: Inbox
) -> None:
    inbox.status, inbox.headers = 307, {"Location": "http://127.0.0.2:9/"}
    egress = Egress(networks=("127.0.0.1/32",))
    answer = await send(f"{inbox.address}/?redirect=yes", egress=egress)
    assert "private or reserved" in answer.reason


async def test_the_ports_of_the_deployment_and_low_ports_are_closed(
    send: Sending, inbox: Inbox
) -> None:
    port = int(inbox.url.rpartition(":")[2].strip("/"))
    own = await send(inbox.address, egress=replace(HERE, own=(port,)))
    low = await send("mailto://127.0.0.1:25/?from=a@b.test&to=c@d.test")
    assert "this deployment's own" in own.reason
    assert low.reason.startswith("port 25: only")
    assert inbox.got == []


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("nonsense://token", "it is no complete address of a service that Apprise knows"),
        ("syslog://", "only services that are reached by HTTP or e-mail are allowed"),
        ("file:///etc/passwd", "it is no complete address of a service that Apprise knows"),
    ],
)
async def test_only_services_by_http_and_mail_are_channels(
    send: Sending, address: str, reason: str
) -> None:
    assert await send(address, None) == Answer(reason)


@pytest.mark.parametrize("service", ["json", "xmls", "form", "apprise"])
async def test_where_webhooks_are_challenged_none_is_reached_by_another_name(
    send: Sending, service: str
) -> None:
    answer = await send(f"{service}://example.org/token", egress=replace(HERE, webhooks=False))
    assert answer.reason.startswith("it is a webhook: subscribe with its URL")


async def test_an_address_that_names_a_file_of_this_machine_is_not_sent(
    send: Sending, inbox: Inbox, tmp_path: Path
) -> None:
    key = tmp_path / "key.asc"
    key.write_text("secret of this machine")
    address = inbox.address.replace("json://", "workflows://")
    answer = await send(f"{address}/workflow/signature/?template={key}")
    assert answer.reason == "it wants to read a file of this machine"
    assert inbox.got == []


async def test_a_template_makes_title_and_text(send: Sending, inbox: Inbox) -> None:
    answer = await send(
        inbox.address,
        title="{{ title }}:\n{{ status }}",
        body="{% for each in diffs %}{{ each.text }}{% endfor %} {{ url }}",
    )
    assert answer.status == 200
    assert inbox.got[0]["title"] == "Giants: ok"
    assert inbox.got[0]["message"] == "Argus sleeps. http://document.test/"


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'a' * 10 ** 9 }}",
        "{% set a = 1 %}",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ ''.__class__.__mro__ }}",
        "{{ cycler.__init__.__globals__.os }}",
        "{{ absent }}",
        "{{ text.format(text) if false else '{0.__class__}'.format(text) }}",
    ],
)
async def test_a_hostile_template_ends_with_a_reason_and_the_next_message_is_sent(
    send: Sending, inbox: Inbox, template: str
) -> None:
    failed = await send(inbox.address, body=template)
    fine = await send(inbox.address)
    assert failed.status is None
    assert "template" in failed.reason or "too much time or memory" in failed.reason
    assert fine.status == 200
    assert len(inbox.got) == 1


async def test_a_server_that_never_answers_is_given_up_and_others_are_served_meanwhile(
    inbox: Inbox,
) -> None:
    inbox.gate.clear()
    async with SendingProcesses(timeout_s=3.0) as processes, served(_accepted) as (other,):
        slow = [
            asyncio.create_task(processes.send("slow", Work(inbox.address, HERE, NEWS)))
            for _ in range(4)
        ]
        quick = Work(other.replace("http://", "json://"), HERE, NEWS)
        assert (await processes.send("quick", quick)).status == 200
        assert not any(task.done() for task in slow)
        assert {(await task).reason for task in slow} == {"timed out after 3 s"}


async def test_a_page_cannot_call_everybody_in_a_room(send: Sending, inbox: Inbox) -> None:
    await send(inbox.address, replace(NEWS, title="@everyone, mail io@here.test"))
    assert inbox.got[0]["title"] == "Argus sleeps: @\u200beveryone, mail io@here.test"


async def test_a_proxy_looks_up_names_and_is_asked_for_no_address_that_the_policy_refuses(
    inbox: Inbox,
) -> None:
    private = "address of the channel's server is private or reserved: not allowed"
    asked = {
        "json://169.254.169.254/latest": private,
        "jsons://10.0.0.1/": private,
        "json://localhost/": private,
        "json://2130706433/": "its URL is not valid",
        "jsons://example.org:25/": "port 25: only 80, 443 and those from 1024 are allowed",
    }
    async with SendingProcesses(inbox.url) as processes:
        through = Sending(processes)
        got = {each: (await through(each, egress=Egress())).reason for each in asked}
        assert (await through("json://argus.test/", egress=Egress())).status == 200
    assert got == asked
    assert len(inbox.got) == 1


PROGRAM = """
import asyncio, sys
from connectors.channels.processes import SendingProcesses, environment
from connectors.channels.work import Egress, Work
from tests.connectors.channels.test_sending import NEWS

async def main():
    async with SendingProcesses() as processes:
        work = Work(sys.argv[1], Egress(networks=("127.0.0.0/8",)), NEWS)
        print((await processes.send("m", work)).status)

asyncio.run(main())
"""


async def test_a_process_uses_no_proxy_of_its_parents_environment(inbox: Inbox) -> None:
    """The fork server, and so each process, begins with the variables of this program."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, inbox.address),
        env={**os.environ, "HTTP_PROXY": "http://127.0.0.1:9"},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await program.communicate()
    assert out == b"200\n"


async def test_the_environment_of_a_process_has_no_secret() -> None:
    ours = {"VOKTER_SIGNING_KEY": "x" * 32, "HTTPS_PROXY": "http://a.test", "TZ": "UTC"}
    nowhere = {"TZ": "UTC", "HOME": "/nonexistent", "NETRC": os.devnull}
    proxy = "http://proxy.test"
    assert environment(ours, None) == nowhere
    assert environment(ours, proxy) == nowhere | {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy}


async def test_a_process_that_cannot_begin_is_no_failure_of_the_channel() -> None:
    async with SendingProcesses("http://proxy.invalid:1") as processes:
        with pytest.raises(OSError, match="cannot be started"):
            await Sending(processes)("json://argus.test/", None)


async def _accepted(_: web.Request) -> web.Response:
    return web.Response()
