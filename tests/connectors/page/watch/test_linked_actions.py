"""Signed links of messages: a button without a session, for one watch and once."""

from dataclasses import replace

import pytest
from aiohttp import ClientSession

from connectors.access.keys import new_key, save_keys
from connectors.page.watch.linked_actions import PER_MINUTE, first_mute
from connectors.page.watch.mutes import Mute
from connectors.signed_links import LINK_LIFETIME_S, LinkedAction, SignedLinks
from schemas.records.changes import Diff, Returned
from schemas.records.requests import Cancel, Pause, Resume, Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Options, Receiver
from tests.fakes.notifications import NOTIFICATION
from tests.harness.page import NOW_S, SIGNING_KEY, ServedPage

HOOK = "http://client.test/hook"
DIFF = Diff("added", "argus", "Argus sleeps.", "Argus sleeps.")
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


async def watched(served: ServedPage, manager: str = "news-desk") -> str:
    """Let a manager watch a page, and everybody else need a key; returns the watch."""
    save_keys(served.keys, [new_key("others", None, None)[1]])
    asked = Subscribe(
        "http://example.test/", Receiver(HOOK), keywords=("argus",), options=Options(interval=60)
    )
    fact = await served.register.ask(replace(asked, manager=manager, request_id="r"))
    assert isinstance(fact, Subscribed)
    served.register.asked.clear()
    return fact.subscription.id


def link(
    served: ServedPage, linked: LinkedAction, *, key: bytes = SIGNING_KEY, at: float = NOW_S
) -> str:
    return f"{served.base}/link/{SignedLinks(key, lambda: at).token(linked)}"


async def opened(http: ClientSession, url: str) -> tuple[int, str]:
    async with http.get(url) as response:
        return response.status, await response.text()


async def pressed(http: ClientSession, url: str, **form: str) -> tuple[int, str]:
    async with http.post(url, data=form or ONE_CLICK, allow_redirects=False) as response:
        return response.status, await response.text()


@pytest.mark.parametrize(
    ("action", "kind", "button", "done"),
    [
        ("stop", Cancel, "Stop this watch", "Stopped"),
        ("pause", Pause, "Pause this watch", "Paused"),
    ],
)
async def test_a_link_shows_its_watch_and_one_button_which_works_once_without_a_session(
    served: ServedPage, http: ClientSession, action: str, kind: type, button: str, done: str
) -> None:
    watch = await watched(served)
    url = link(served, LinkedAction(action, "news-desk", watch))  # type: ignore[arg-type]
    status, text = await opened(http, url)
    assert status == 200
    assert text.partition("<main")[2].partition("</main>")[0].count("<button") == 1
    assert f">{button}</button>" in text
    assert "http://example.test/" in text
    assert HOOK not in text
    assert served.register.asked == []
    status, text = await pressed(http, url)
    assert (status, done in text) == (200, True)
    (asked,) = served.register.asked
    assert isinstance(asked, kind)
    assert (asked.manager, asked.receiver.client_url) == ("news-desk", HOOK)
    for again in (opened, pressed):
        status, text = await again(http, url)
        assert status == 410
        assert "has been used" in text
    assert len(served.register.asked) == 1


async def test_the_page_after_a_stop_undoes_it_once_and_never_another_pause(
    served: ServedPage, http: ClientSession
) -> None:
    watch = await watched(served)
    url = link(served, LinkedAction("stop", "news-desk", watch))
    early = await pressed(http, url, undo="1")
    assert (early[0], served.register.asked) == (410, [])
    _, text = await pressed(http, url)
    assert 'name="undo"' in text
    status, text = await pressed(http, url, undo="1")
    assert (status, "Watched again" in text, 'name="undo"' in text) == (200, True, False)
    stop, undo = served.register.asked
    assert (isinstance(stop, Cancel) and stop.undo, isinstance(undo, Resume)) == (True, True)
    one = await served.store.subscriptions.get("news-desk", watch)
    assert one is not None
    assert one.state == "active"
    for form in ({"undo": "1"}, ONE_CLICK):
        assert (await pressed(http, url, **form))[0] == 410
    pause = link(served, LinkedAction("pause", "news-desk", watch))
    await pressed(http, pause)
    assert (await pressed(http, pause, undo="1"))[0] == 410
    assert len(served.register.asked) == 3


async def test_a_link_mutes_what_its_notification_said(
    served: ServedPage, http: ClientSession
) -> None:
    watch = await watched(served)
    fact = replace(NOTIFICATION, manager="news-desk", subscription=watch, diffs=(DIFF,))
    await served.store.read_side.record([fact])
    url = link(served, LinkedAction("mute", "news-desk", watch, fact.id))
    _, text = await opened(http, url)
    assert "Argus sleeps." in text
    status, _ = await pressed(http, url)
    assert status == 200
    (asked,) = served.register.asked
    assert isinstance(asked, Subscribe)
    (excluded,) = asked.options.view.exclude
    assert excluded.quote is not None
    assert (excluded.quote.exact, asked.keywords) == ("Argus sleeps.", ("argus",))
    assert (await pressed(http, url))[0] == 410
    gone = link(served, LinkedAction("mute", "news-desk", watch, "gone"))
    assert (await pressed(http, gone))[0] == 404


async def test_a_forged_an_old_and_another_managers_link_do_and_say_nothing(
    served: ServedPage, http: ClientSession
) -> None:
    watch = await watched(served)
    stop = LinkedAction("stop", "news-desk", watch)
    for url in (
        link(served, stop, key=b"o" * 32),
        link(served, stop, at=NOW_S - LINK_LIFETIME_S),
        link(served, stop._replace(manager="others")),
        link(served, stop._replace(subscription="s9")),
        f"{served.base}/link/x",
    ):
        for ask in (opened, pressed):
            status, text = await ask(http, url)
            assert status == 404
            assert "example.test" not in text
    assert served.register.asked == []


async def test_an_address_opens_so_many_links_a_minute(
    served: ServedPage, http: ClientSession
) -> None:
    url = f"{served.base}/link/x"
    statuses = [(await opened(http, url))[0] for _ in range(PER_MINUTE + 1)]
    assert statuses == [404] * PER_MINUTE + [429]
    served.clock.monotonic += 60
    assert (await opened(http, url))[0] == 404


async def test_a_link_opens_nothing_else_without_a_session(
    served: ServedPage, http: ClientSession
) -> None:
    watch = await watched(served)
    stop = link(served, LinkedAction("stop", "news-desk", watch))
    async with http.get(f"{served.base}/watch/{watch}", headers={"Referer": stop}) as response:
        assert response.url.path == "/sign-in"
    status, _ = await pressed(http, f"{served.base}/watch/{watch}/cancel")
    assert status == 403
    assert served.register.asked == []


def test_what_went_back_is_muted_before_the_only_passage_and_that_before_noise() -> None:
    one, two = replace(NOTIFICATION, diffs=(DIFF,)), Diff("added", "io", "Io.", "Io.")
    assert first_mute(replace(one, returned=Returned(1, 2))) == Mute("returns")
    assert first_mute(one) == Mute("passage", "Argus sleeps.")
    assert first_mute(replace(one, diffs=(DIFF, two))) == Mute("noise")
    assert first_mute(replace(one, diffs=())) is None
