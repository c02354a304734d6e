"""Dead letters on the page, by requests: what is shown, who may see it, and putting one back."""

import re
from dataclasses import replace
from html import unescape

import pytest
from aiohttp import ClientSession
from aiokafka.errors import KafkaConnectionError

from connectors.access.roles import Role
from connectors.dead_letters.recent import RecentLetter, RecentLetters
from connectors.dead_letters.record import DeadLetterError
from connectors.page.operate.dead_letter_list import origin_of, printable
from tests.connectors.page.session.test_guard import sent, signed_in, token_of
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.harness.page import ServedPage

LETTER = RecentLetter(
    "3:42", 1_700_000_000_000, ("changes", 3, 7), "match", "an interval of 0", 12, b"\x00{1}", True
)


async def page(http: ClientSession, served: ServedPage) -> tuple[int, str]:
    async with http.get(f"{served.base}/dead-letters") as response:
        return response.status, await response.text()


def words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text.partition("<main")[2])).split())


def test_what_cannot_go_back_is_not_offered() -> None:
    assert LETTER.can_replay
    assert not replace(LETTER, is_whole=False).can_replay
    nowhere = replace(LETTER, origin=None)
    assert (nowhere.can_replay, origin_of(nowhere)) == (False, "an unknown topic")


def test_bytes_are_shown_as_printable_characters() -> None:
    assert printable(b"\xc3\x01\x1b[2J\xe2\x80\xaeabc") == "\ufffd··[2J·abc"


async def test_a_dead_letter_is_shown_with_its_reason_and_origin(
    served: ServedPage, http: ClientSession
) -> None:
    assert "There are none" in words((await page(http, served))[1])
    served.letters.recent.return_value = RecentLetters((LETTER,), 900)
    text = words((await page(http, served))[1])
    for each in ("an interval of 0", "3:42", "from changes 3:7", "given up by match", "12 bytes"):
        assert each in text
    assert "newest of 900" in text


async def test_texts_of_strangers_are_texts(served: ServedPage, http: ClientSession) -> None:
    letters = [
        replace(LETTER, reason=text, agent=text, origin=(text, 0, 0), start=text.encode())
        for text in HOSTILE_TEXTS
    ]
    served.letters.recent.return_value = RecentLetters(tuple(letters), len(letters))
    status, text = await page(http, served)
    assert status == 200
    shown = text.split("<main")[1]
    assert not re.findall("<(script|img|svg|iframe|object|style)", shown)
    assert re.findall(r'<a href="([^"]*)"', shown) == ["/pipeline"]


async def test_one_is_put_back_by_a_form(served: ServedPage, http: ClientSession) -> None:
    served.letters.recent.return_value = RecentLetters((LETTER,), 1)
    token = await token_of(http, f"{served.base}/dead-letters")
    answer = await sent(http, served, "/dead-letters/replay", token=token, letter="3:42")
    assert (answer.status, answer.headers["Location"]) == (303, "/dead-letters")
    served.letters.replay.assert_called_once_with("3:42")
    served.letters.recent.return_value = RecentLetters((replace(LETTER, replayed=LETTER.at),), 1)
    text = (await page(http, served))[1]
    assert "Put back 2023-11-14 22:13 UTC" in words(text)
    assert '<form method="post" action="/dead-letters/replay"' not in text


@pytest.mark.parametrize(("error", "status", "text"), [
    (DeadLetterError("3:42 is not whole"), 409, "Not put back: 3:42 is not whole."),
    (KafkaConnectionError("refused"), 503, "It may have been put back"),
    (TimeoutError(), 503, "It may have been put back"),
])  # fmt: skip
async def test_one_that_is_not_put_back_says_why(
    served: ServedPage, http: ClientSession, error: Exception, status: int, text: str
) -> None:
    served.letters.recent.return_value = RecentLetters((LETTER,), 1)
    token = await token_of(http, f"{served.base}/dead-letters")
    served.letters.replay.side_effect = error
    answer = await sent(http, served, "/dead-letters/replay", token=token, letter="3:42")
    assert (answer.status, text in words(await answer.text())) == (status, True)


async def test_without_a_broker_the_page_says_so(served: ServedPage, http: ClientSession) -> None:
    served.letters.recent.side_effect = KafkaConnectionError("refused")
    status, text = await page(http, served)
    assert (status, "The broker does not answer" in text) == (503, True)


@pytest.mark.parametrize("role", [Role.READ, Role.WRITE])
async def test_only_an_administrator_sees_and_replays_them(
    served: ServedPage, http: ClientSession, role: Role
) -> None:
    served.letters.recent.return_value = RecentLetters((LETTER,), 1)
    await signed_in(http, served, served.add_key("news-desk", role=role))
    status, text = await page(http, served)
    assert (status, "an interval of 0" in text) == (403, False)
    token = await token_of(http, served.base)
    answer = await sent(http, served, "/dead-letters/replay", token=token, letter="3:42")
    assert (answer.status, served.letters.replay.call_count) == (403, 0)
    await signed_in(http, served, served.add_key("boss", role=Role.ADMIN))
    assert (await page(http, served))[0] == 200
