"""Large texts are compared in bounded time: here the work is counted, no clock is read."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from rapidfuzz.distance import Indel

from streams.diff import alignment, comparison
from streams.text.tokens import UNIT
from tests.fakes.word_edits import word_edits

# A tenth of 5 MB, and the budget that is to it what the real one is to 5 MB.
SIZE = 500_000
BUDGET = 4_000_000
WORDS = [f"word{n:05d}" for n in range(40_000)]
HAN = [chr(0x4E00 + n) for n in range(20)]


@dataclass
class Counted:
    """Stands for rapidfuzz's alignment and the pattern of units, and counts what they get."""

    products: list[int] = field(default_factory=list)
    characters: int = 0

    def editops(self, old: Sequence[str], new: Sequence[str]) -> Any:
        self.products.append(len(old) * len(new))
        return Indel.editops(old, new)

    def findall(self, text: str, start: int = 0, end: int = SIZE) -> list[str]:
        self.characters += min(end, len(text)) - start
        return UNIT.findall(text, start, end)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(alignment, "_BUDGET", BUDGET)
    monkeypatch.setattr(alignment, "Indel", counted)
    monkeypatch.setattr(comparison, "UNIT", counted)
    return counted


def filling(values: list[str], blank: str, seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same text in every run
    return blank.join(chance.choices(values, k=SIZE // len((values[0] + blank).encode())))


@pytest.mark.long
@pytest.mark.parametrize("blank", [" ", "\n", ",", "-", ". "])
@pytest.mark.parametrize(
    ("old", "new"),
    [(WORDS[::2], WORDS[1::2]), (WORDS[:20], WORDS[:20]), (WORDS[:2], WORDS[:2])],
    ids=["nothing shared", "20 words", "2 words"],
)
def test_the_work_for_large_texts_of_words_is_bounded(
    counted: Counted, old: list[str], new: list[str], blank: str
) -> None:
    word_edits(filling(old, blank, 1), filling(new, blank, 2))
    check(counted)


@pytest.mark.parametrize("values", [HAN, HAN[:2], ["\u0e01"]], ids=["20", "2", "1"])
def test_the_work_for_large_texts_without_spaces_is_bounded(
    counted: Counted, values: list[str]
) -> None:
    word_edits(filling(values, "", 1), "大" + filling(values, "", 2))
    check(counted)


def check(counted: Counted) -> None:
    assert max(counted.products, default=0) <= BUDGET
    assert sum(counted.products) <= 64 * BUDGET
    assert counted.characters <= 4 * 2 * SIZE
