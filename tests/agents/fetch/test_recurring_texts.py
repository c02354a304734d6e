"""Which text of a page is one that it had before."""

import sys
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import Returned
from streams.agents.fetch.state.recurring_texts import (
    DAY_MS,
    MAX_TEXTS,
    flapping_until,
    remembered,
    text_hash,
)

START = 1_800_000_000_000
HOUR = 3_600_000
histories = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 10 * HOUR)), max_size=200)


def read(*texts: str, every: int = HOUR) -> tuple[bytes, Returned | None]:
    past, returned = b"", None
    for number, text in enumerate(texts):
        past, returned = remembered(past, text_hash(text), START + number * every)
    return past, returned


def test_a_text_that_returns_is_known_by_when_it_was_first_read_and_how_often() -> None:
    assert read("a", "b")[1] is None
    assert read("a", "b", "a")[1] == Returned(START, 1)
    assert read("a", "b", "a", "b")[1] == Returned(START + HOUR, 1)
    assert read("a", "b", "a", "c", "a")[1] == Returned(START, 2)


def test_the_same_text_again_is_no_return_whatever_its_white_space() -> None:
    assert read("a b", " a\n\nb ") == read("a b")
    assert read("a", "b", "b ")[1] is None


def test_any_white_space_divides_words_alike() -> None:
    spaces = [each for each in map(chr, range(sys.maxunicode + 1)) if each.isspace()]
    assert len(spaces) > 20
    assert {text_hash(f"a{each}b") for each in spaces} == {text_hash("a b")}


@given(st.text(st.sampled_from("ab\u00e9\u200b \n\t\r\x1c\x85\u2028\U0001f600"), max_size=12))
def test_a_hash_is_that_of_the_words_alone(text: str) -> None:
    words = " ".join(text.split()).encode()
    assert text_hash(text) == blake2b(words, digest_size=5).digest()


def test_only_the_last_texts_are_remembered() -> None:
    others = list(map(str, range(MAX_TEXTS - 1)))
    past, returned = read("a", *others, "a")
    assert returned == Returned(START, 1)
    assert len(past) == 8 * MAX_TEXTS == 512
    assert read("a", *others, "b", "a")[1] is None


def test_a_page_is_flapping_for_a_day_after_its_third_last_return() -> None:
    assert flapping_until(read(*"abab")[0]) == 0
    assert flapping_until(read(*"ababa")[0]) == START + 2 * HOUR + DAY_MS
    assert flapping_until(read(*"ababab")[0]) == START + 3 * HOUR + DAY_MS
    rarely, _ = read(*"ababa", every=DAY_MS)
    assert flapping_until(rarely) < START + 4 * DAY_MS


@given(histories)
def test_what_is_remembered_is_what_a_list_of_the_last_texts_says(
    history: list[tuple[str, int]],
) -> None:
    past, at = b"", START
    texts: list[tuple[str, int]] = []
    for text, later in history:
        at += later
        past, returned = remembered(past, text_hash(text), at)
        if texts and texts[-1][0] == text:
            assert returned is None
            continue
        earlier = [time for each, time in texts[-MAX_TEXTS:] if each == text]
        assert returned == (Returned(earlier[0], len(earlier)) if earlier else None)
        texts.append((text, at - at % 60_000))


def test_a_time_that_no_entry_can_hold_is_the_nearest_one() -> None:
    for at in (0, 10**14):
        past, _ = remembered(b"", text_hash("a"), at)
        assert len(past) == 8
