"""Deliveries: what became of notifications, sending them again, and new secrets; by requests."""

import re
from dataclasses import replace
from html import unescape

from aiohttp import ClientSession
from yarl import URL

from connectors.access.roles import Role
from connectors.page.news.deliveries import shown_delivery
from connectors.page.watch.receivers import shown_receiver
from connectors.page.watch.timeline import arrival_of
from schemas.codec.signing import secret_of
from schemas.records.deliveries import (
    AttemptFailed,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    ReceiverAsked,
    ReceiverConfirmed,
    Redeliver,
)
from schemas.records.requests import Rotate, Subscribe
from schemas.records.subscriptions import Receiver
from tests.connectors.page.session.test_guard import sent, signed_in, token_of
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import cancelled, subscribed
from tests.harness.page import SIGNING_KEY, ServedPage

HOOK = "http://client.test/s1"
WHO = ("s1", "default", HOOK)
AT = 1_700_000_000_000
DAY = 24 * 3600 * 1000
DELIVERED = Delivered("n1", *WHO, 3, 204, AT)
RETRYING = AttemptFailed("n2", *WHO, 2, "answered 503", AT, AT + 60_000, AT - DAY, 503, "busy")
HELD = DeliveryHeld("n2", *WHO, AT + DAY, AT, "its channel has digests")
GIVEN_UP = DeliveryFailed("n3", *WHO, 10, "timed out", AT)
FORM = {"client": HOOK, "notification": "n2", "seen": str(AT)}
NOTIFIED = replace(NOTIFICATION, id="n2", subscription="s1", receiver=Receiver(HOOK), title="Gods")


async def shown(http: ClientSession, served: ServedPage, path: str = "/deliveries") -> str:
    async with http.get(served.base + path) as response:
        text = await response.text()
    assert response.status == 200, text
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text.partition("<main")[2])).split())


class TestShown:
    def test_the_answer_of_a_mail_server_is_none_of_http(self) -> None:
        mail = replace(DELIVERED, client_url="channel:mail", status=250)
        assert shown_delivery(mail, NOTIFIED).status_name == "SMTP 250"
        assert arrival_of("n1", set(), {"n1": mail}).text == "Arrived after 3 attempts (SMTP 250)"
        chat = replace(mail, status=200)
        assert shown_delivery(chat, NOTIFIED).status_name == "HTTP 200"
        assert arrival_of("n1", set(), {"n1": DELIVERED}).text.endswith("(HTTP 204)")

    def test_one_that_is_retried_says_when_the_next_attempt_is(self) -> None:
        found = shown_delivery(RETRYING, NOTIFIED)
        assert (found.label, found.next) == ("Retrying", "2023-11-14T22:14:20.000Z")
        assert (found.title, found.status, found.answer, found.can_repeat) == (
            "Gods", 503, "busy", True,
        )  # fmt: skip

    def test_one_that_is_held_says_until_when_and_is_no_fault_of_its_receiver(self) -> None:
        found = shown_delivery(HELD, NOTIFIED)
        assert (found.label, found.held) == ("Waits", "2023-11-15T22:13:20.000Z")
        assert (found.next, found.status, found.attempts, found.seen) == (None, None, 0, AT)
        assert shown_receiver([HELD], [], []) is None
        state = shown_receiver([HELD, replace(DELIVERED, at=AT - 1)], [], [])
        assert state is not None
        assert state.label == "Accepts notifications"
        assert arrival_of("n2", set(), {"n2": HELD}).whole == (
            "Waits until 2023-11-15 22:13 UTC: its channel has digests"
        )

    def test_what_is_not_kept_any_more_cannot_be_sent_again(self) -> None:
        assert not shown_delivery(DELIVERED, None).can_repeat

    def test_a_receiver_fails_from_its_last_success_on(self) -> None:
        found = shown_receiver([RETRYING, replace(DELIVERED, at=AT - 1)], [], [])
        assert found is not None
        assert found.label == "Failing"
        assert "nothing since 2023-11-13 22:13 UTC" in found.detail

    def test_a_receiver_is_gone_until_it_accepts_something(self) -> None:
        gone = ClientGone("default", HOOK, "410", AT)
        states = [
            shown_receiver([each], [gone], []) for each in (GIVEN_UP, replace(DELIVERED, at=AT + 1))
        ]
        assert [state and state.label for state in states] == ["Gone", "Accepts notifications"]
        assert shown_receiver([], [gone], []) is None

    def test_a_receiver_that_must_answer_a_challenge_is_not_confirmed_until_it_has(self) -> None:
        asked = ReceiverAsked("default", HOOK, 2, "answered 404 to the challenge", AT + 60_000, AT)
        found = shown_receiver([], [], [asked])
        assert found is not None
        assert found.label == "Not confirmed"
        assert "asked 2 times: answered 404 to the challenge" in found.detail
        assert "due at 2023-11-14 22:14 UTC" in found.detail
        later = replace(DELIVERED, at=AT + 1)
        confirmed = ReceiverConfirmed("default", HOOK, AT)
        states = [shown_receiver([later], [], [proof]) for proof in (asked, confirmed)]
        assert [state and state.label for state in states] == ["Accepts notifications"] * 2
        assert shown_receiver([], [], [confirmed]) is None


async def test_deliveries_say_what_became_of_each(served: ServedPage, http: ClientSession) -> None:
    assert "No webhook is notified" in await shown(http, served)
    await served.store.read_side.record([subscribed(), DELIVERED, RETRYING, GIVEN_UP, NOTIFIED])
    text = await shown(http, served)
    for each in ("Delivered", "HTTP 204", "Retrying", "next attempt", "busy", "Given up", "Gods"):
        assert each in text
    assert text.count("Retry now") == 1
    assert "Send again:" not in text, "the notifications of the other two are not kept"


async def test_what_is_held_can_be_sent_now(served: ServedPage, http: ClientSession) -> None:
    await served.store.read_side.record([subscribed(), HELD, NOTIFIED])
    text = await shown(http, served)
    for each in ("Waits until 2023-11-15 22:13 UTC", "none yet its channel has", "Send now"):
        assert each in text


async def test_a_receiver_of_which_nothing_is_listed_does_not_hide_one_that_fails(
    served: ServedPage, http: ClientSession
) -> None:
    newer = subscribed(at=AT + 1, key="s2", receiver=Receiver("channel:team"))
    await served.store.read_side.record([subscribed(), RETRYING, newer])
    assert "Retrying" in await shown(http, served)


async def test_receivers_that_accept_nothing_are_first_and_have_a_badge_on_each_page(
    served: ServedPage, http: ClientSession
) -> None:
    fine = replace(DELIVERED, client_url="channel:team", at=AT + 5)
    unknown, ended = Receiver("http://client.test/new"), Receiver("http://client.test/old")
    facts = [
        subscribed(at=AT + 1, key="s2", receiver=unknown),
        subscribed(at=AT + 2, key="s3", receiver=Receiver("channel:team")),
        subscribed(at=AT + 3, key="s4", receiver=ended),
        replace(GIVEN_UP, notification="n9", client_url=ended.name, subscription="s4"),
    ]
    await served.store.read_side.record([subscribed(), RETRYING, fine, *facts, cancelled(AT, "s4")])
    text = await shown(http, served)
    at = [text.index(f"{each} ") for each in ("test/ s1", "test/ old", " team", "test/ new")]
    assert at == sorted(at)
    assert "Nothing sent yet" in text
    for path in ("/", "/news", "/watch/s1"):
        async with http.get(served.base + path) as response:
            head, main = (await response.text()).split("<main")
        assert "1 receiver accepts nothing" in re.sub(r"<[^>]*>", "", head)
        assert ("/deliveries?client=http%3A//client.test/s1" in main) == (path != "/news")
    await served.store.read_side.record([replace(DELIVERED, notification="n2", at=AT + 9)])
    served.clock.monotonic += 60
    async with http.get(served.base) as response:
        assert "accepts nothing" not in await response.text()


async def test_a_receiver_that_has_not_confirmed_says_why_nothing_arrives(
    served: ServedPage, http: ClientSession
) -> None:
    asked = ReceiverAsked("default", HOOK, 1, "timed out", AT, AT)
    await served.store.read_side.record([subscribed(), asked])
    assert "Not confirmed" in await shown(http, served)
    await served.store.read_side.record([ReceiverConfirmed("default", HOOK, AT + 1)])
    assert "Not confirmed" not in await shown(http, served)


async def test_the_newest_outcome_replaces_the_one_before(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([subscribed(), RETRYING, NOTIFIED])
    assert "Retrying" in await shown(http, served)
    await served.store.read_side.record([replace(DELIVERED, notification="n2", at=AT + 1)])
    text = await shown(http, served)
    assert "Delivered" in text
    assert "Retrying" not in text


async def test_a_receivers_answer_is_text(served: ServedPage, http: ClientSession) -> None:
    texts = [text[:200] for text in HOSTILE_TEXTS]
    facts = [replace(RETRYING, notification=f"m{n}", answer=text) for n, text in enumerate(texts)]
    await served.store.read_side.record([subscribed(), *facts[:30]])
    async with http.get(f"{served.base}/deliveries") as response:
        found = re.findall("<bdi>(.*?)</bdi>", await response.text(), re.DOTALL)
    assert len(found) == len(facts[:30])
    assert not any("<" in each for each in found)
    assert {" ".join(text.split()) for text in texts[:30]} >= {
        unescape(each) for each in found if "&#" not in each
    }


class TestSendingAgain:
    async def test_it_is_commanded_with_the_outcome_that_was_seen(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await served.store.read_side.record([subscribed(), RETRYING, NOTIFIED])
        token = await token_of(http, f"{served.base}/deliveries")
        answer = await sent(http, served, "/deliveries/redeliver", token=token, **FORM)
        served.redeliver.assert_called_once_with(Redeliver(NOTIFIED, AT))
        where = URL(answer.headers["Location"])
        assert (answer.status, where.path, where.query["client"]) == (303, "/deliveries", HOOK)
        assert "It is sent again" in await shown(http, served, str(where))

    async def test_that_of_another_manager_is_not_sent(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await served.store.read_side.record([NOTIFIED])
        await signed_in(http, served, served.add_key("stranger"))
        token = await token_of(http, f"{served.base}/deliveries")
        answer = await sent(http, served, "/deliveries/redeliver", token=token, **FORM)
        assert (answer.status, served.redeliver.call_count) == (404, 0)
        assert "cannot be sent again" in await answer.text()

    async def test_a_form_without_the_outcome_is_refused(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await served.store.read_side.record([subscribed(), RETRYING, NOTIFIED])
        token = await token_of(http, f"{served.base}/deliveries")
        for seen in ("", "-1", "²"):
            form = {**FORM, "seen": seen}
            answer = await sent(http, served, "/deliveries/redeliver", token=token, **form)
            assert answer.status == 400
        assert served.redeliver.call_count == 0


async def test_a_key_that_may_only_read_is_offered_neither(
    served: ServedPage, http: ClientSession
) -> None:
    mine = subscribed(manager="desk")
    facts = [mine, *(replace(each, manager="desk") for each in (RETRYING, NOTIFIED))]
    await served.store.read_side.record(facts)
    for role, buttons in ((Role.WRITE, True), (Role.READ, False)):
        await signed_in(http, served, served.add_key("desk", role=role))
        text = await shown(http, served)
        assert "Retrying" in text
        assert ("Retry now" in text, "New secret" in text) == (buttons, buttons)
    token = await token_of(http, f"{served.base}/deliveries")
    for path in ("/deliveries/redeliver", "/deliveries/rotate"):
        answer = await sent(http, served, path, token=token, subscription="s1", **FORM)
        assert (answer.status, served.redeliver.call_count) == (403, 0)


class TestANewSecret:
    async def test_it_is_shown_once_and_not_stored_by_the_browser(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        page = "http://example.test/giants"
        begun = Subscribe(page, Receiver(HOOK), "r", keywords=("argus",))
        first = secret_of(SIGNING_KEY, (await served.register.ask(begun)).subscription)
        token = await token_of(http, f"{served.base}/deliveries")
        async with http.get(f"{served.base}/deliveries") as answer:
            assert f'aria-label="New secret for {page}"' in await answer.text()
        answer = await sent(http, served, "/deliveries/rotate", token=token, subscription="s0")
        asked = served.register.asked[-1]
        assert isinstance(asked, Rotate)
        assert (asked.document_url, asked.receiver) == (page, Receiver(HOOK))
        secrets = re.findall(r"whsec_[\w+/=]+", await answer.text())
        assert (answer.status, len(secrets)) == (200, 1)
        assert secrets != [first]
        assert answer.headers["Cache-Control"] == "no-store"
        assert "whsec_" not in await shown(http, served)

    async def test_there_is_none_for_the_watch_of_another_manager(
        self, served: ServedPage, http: ClientSession
    ) -> None:
        await served.store.read_side.record([subscribed()])
        await signed_in(http, served, served.add_key("stranger"))
        token = await token_of(http, f"{served.base}/deliveries")
        answer = await sent(http, served, "/deliveries/rotate", token=token, subscription="s1")
        assert (answer.status, served.register.asked) == (404, [])
