"""Keywords of scripts that are written without spaces, where it is known where words end."""

from itertools import accumulate

import pytest

from streams.text import signs, word_ends
from streams.text.signs import bounds_with_signs, phrase_signs
from streams.text.tokens import WORD

CUTS = [
    ("東京/都/の/天気", "京都", False),
    ("東京/都/の/天気", "東京", True),
    ("東京/都/の/天気", "東京都", True),
    ("产品/和/服务", "和服", False),
    ("产品/和/服务", "服务", True),
    ("上海市/新/政策", "上海", True),
    ("清华大学/招生", "大学", True),
    ("中国/水族馆", "国水", False),
    ("水族馆/开放", "族", False),
    ("สมาคม/ฟุตบอล", "มา", False),
    ("สมาคม/ฟุตบอล", "สมาคม", True),
    ("น้ำมัน/ขึ้น/ราคา", "น้ำ", False),
    ("น้ำมัน/ขึ้น/ราคา", "ราคา", True),
    ("น้ำมัน/ขึ้น/ราคา", "น้ำ*", True),
    ("สมาคม/ฟุตบอล", "*มา", True),
    ("新/C++/言語", "C++", True),
]


@pytest.mark.parametrize(("cut", "keyword", "expected"), CUTS)
def test_a_keyword_is_no_part_of_other_words(
    monkeypatch: pytest.MonkeyPatch, cut: str, keyword: str, expected: bool
) -> None:
    ends = frozenset(accumulate(map(len, cut.split("/")), initial=0))
    monkeypatch.setattr(word_ends, "IS_INSTALLED", True)
    monkeypatch.setattr(word_ends, "word_ends", lambda _text: ends)
    text, wanted = cut.replace("/", ""), keyword.strip("*")
    start = text.index(wanted)
    words = [found.span() for found in WORD.finditer(text, start, start + len(wanted))]
    found = signs.phrase_signs(keyword)
    assert not found or (bounds_with_signs(text, words, found) is not None) is expected
    assert found or expected


def test_without_icu_a_keyword_is_found_wherever_its_characters_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_ends, "IS_INSTALLED", False)
    assert phrase_signs("京都") == ()


def test_only_what_is_near_a_keyword_is_cut_into_words() -> None:
    seen: list[str] = []

    def ends(text: str) -> frozenset[int]:
        seen.append(text)
        return frozenset([word_ends.AROUND, word_ends.AROUND + 2])

    text = "東" * 1_000 + "京都" + "東" * 1_000
    assert not word_ends.is_within_words(text, 1_000, 1_002, ends)
    assert [len(each) for each in seen] == [2 * word_ends.AROUND + 2]
