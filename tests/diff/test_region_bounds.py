"""Hostile texts are compared in bounded work: it is counted, no clock is read."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from rapidfuzz import process
from rapidfuzz.distance import Indel

from streams.diff import edits as edits_of_pairs
from streams.diff import neighbours, regions
from streams.diff import similarity as likeness
from streams.diff.comparison import Edit, text_edits
from streams.diff.edits import MAX_PIECE, EditFinder, edition
from streams.diff.grouping import MAX_SIZE
from streams.diff.noise import noise_of
from streams.diff.pairing import Pair
from streams.diff.regions import changed_regions
from streams.text.units import Unit, cut_line
from tests.fakes.changed import changed

WORDS = [f"word{first}{second}" for first in "abcdefghijklmnopqrst" for second in "abcdefghij"]
BUDGET = 2_000_000


@dataclass
class Counted:
    """Stands for rapidfuzz, and counts the pairs and words that it compares."""

    pairs: int = 0
    products: list[int] = field(default_factory=list)

    def cdist(self, old: Sequence[str], new: Sequence[str], **options: Any) -> Any:
        self.pairs += len(old) * len(new)
        self.products.append(sum(map(len, old)) * sum(map(len, new)))
        return process.cdist(old, new, **{**options, "scorer": Indel.normalized_similarity})

    def normalized_similarity(self, old: str, new: str, score_cutoff: float) -> float:
        self.pairs += 1
        self.products.append(len(old) * len(new))
        return Indel.normalized_similarity(old, new, score_cutoff=score_cutoff)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(likeness, "BUDGET", BUDGET)
    monkeypatch.setattr(likeness, "process", counted)
    monkeypatch.setattr(likeness, "Indel", counted)
    monkeypatch.setattr(regions, "MAX_LINES", 10_000)
    return counted


def lines(count: int, words: int, seed: int, values: Sequence[str] = WORDS) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same text in every run
    return "\n".join(" ".join(chance.choices(values, k=words)) for _ in range(count))


def rare(count: int, seed: int) -> str:
    """Return lines that have one word in common with another text's, which few have."""
    return "\n".join(
        f"{line} rare{n}" for n, line in enumerate(lines(count, 100, seed).split("\n"))
    )


def items(start: int) -> str:
    return "\n".join(f"item {n} is here" for n in range(start, start + 4_000))


# Functions: a worker that runs none of these tests makes none of these texts.
HOSTILE: dict[str, Callable[[], tuple[str, str]]] = {
    "long lines": lambda: (lines(100, 500, 1), lines(100, 500, 2)),
    "many lines": lambda: (lines(4_000, 8, 1), lines(4_000, 8, 2)),
    "one line": lambda: (lines(1, 100_000, 1), lines(1, 100_000, 2)),
    "words": lambda: (lines(4_000, 1, 1), lines(4_000, 2, 2)),
    "signs": lambda: (lines(30_000, 1, 1, "abc"), lines(30_000, 1, 2, "xyz")),
    "like signs": lambda: (lines(20_000, 1, 1, "abc"), lines(20_000, 1, 2, "abcd")),
    "newlines": lambda: ("\n" * 100_000, "\n" * 50_000 + "x" + "\n" * 50_000),
    "sentences": lambda: ("Ab. " * 50_000, "Ac. " * 50_000),
    "digits": lambda: (items(0), items(9_000)),
    "rare words": lambda: (rare(1_000, 1), rare(1_000, 2)),
    "Han": lambda: (
        "".join(map(chr, range(0x4E00, 0x9E00))),
        "".join(map(chr, range(0x9DFF, 0x4DFF, -1))),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("texts", HOSTILE.values(), ids=HOSTILE)
def test_the_work_for_hostile_texts_is_bounded(
    counted: Counted, texts: Callable[[], tuple[str, str]]
) -> None:
    old, new = texts()
    found = changed_regions(old, new)
    # The last comparison may go beyond the budget.
    assert sum(counted.products) <= BUDGET + likeness.HUGE
    assert counted.pairs <= BUDGET // likeness.PER_PAIR + 1
    check_sizes(found)


def check_sizes(found: tuple[Any, ...]) -> None:
    assert found
    assert sum(len(region.edits) for region in found) <= 40_000
    for region in found:
        places = [place for place in (region.removed, region.added) if place]
        assert sum(len(place.text) for place in places) <= MAX_SIZE + 2 * MAX_PIECE
        assert sum(len(place.text.encode()) for place in places) <= 1_000_000


def test_a_word_in_a_very_long_line_is_shown_with_some_words_around_it() -> None:
    old = lines(1, 20_000, 1)
    new = old[:60_000] + old[60_000:].replace(" ", " zeus ", 1)
    ((kind, gone, come),) = changed(old, new)
    assert kind == "edited"
    assert "[zeus]" in str(come)
    assert 300 < len(str(gone)) < 500


def test_a_very_long_line_is_cut_into_pieces() -> None:
    old, new = "Zeus", lines(1, 50_000, 1)
    found = [come for kind, _, come in changed(old, new) if kind == "added" and come]
    assert " ".join(found) == new
    assert max(map(len, found)) <= MAX_PIECE
    assert len(changed_regions(old, new)) > 1


@pytest.mark.parametrize(
    ("begin", "places", "edits"), [("", 3, 3), ("", 30, 1), ("South\t", 1, 1), ("South\t", 3, 1)]
)
def test_many_places_of_a_long_line_are_one_edit_and_so_are_all_of_a_row(
    begin: str, places: int, edits: int
) -> None:
    words = [str(n) for n in range(6_000)]
    old = begin + " ".join(words)
    for n in range(places):
        words[n * 6_000 // places + 50] = "zeus"
    found = changed(old, begin + " ".join(words))
    assert [kind for kind, *_ in found] == ["edited"] * edits
    assert sum(str(come).count("[zeus]") for *_, come in found) == places
    assert all(str(come).startswith(begin) for *_, come in found)


@pytest.mark.parametrize(("blank", "noise"), [(" ", "numbers"), ("\n", "")])
def test_many_lines_that_are_compared_as_one_are_no_noise(blank: str, noise: str) -> None:
    gone, come = (Unit(f"seen by {n}{blank}people", 0, 0) for n in (212, 214))
    (edit,) = edition(Pair(gone, come), EditFinder(), alone=False)
    assert edit.noise == noise


def test_neighbours_in_a_long_line_are_looked_for_near_each_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(5)  # noqa: S311 - to be repeated, not to be secret
    lengths: list[int] = []

    def cut(line: str) -> list[str]:
        lengths.append(len(line))
        return cut_line(line)

    monkeypatch.setattr(neighbours, "cut_line", cut)
    words = [f"w{number}" for number in range(50)]
    texts = [". ".join(" ".join(chance.choices(words, k=5)) for _ in range(1_200))
             for _ in range(2)]  # fmt: skip
    changed_regions(texts[0], texts[1])
    assert len(lengths) > 100
    assert max(lengths) <= neighbours._MAX_PIECE


def test_each_of_very_many_changed_lines_is_in_one_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "MAX_LINES", 1_000)
    old, new = "\n".join("abcdef" * 100), "\n".join("uvwxyz" * 100)
    edits = [edit for region in changed_regions(old, new) for edit in region.edits]
    sizes = [(each.end - each.start + 1) // 2 for edit in edits
             for each in (edit.removed, edit.added) if each]  # fmt: skip
    assert sum(sizes) == 1_200


@pytest.mark.parametrize("budget", [1, 400, 10_000])
def test_no_more_pairs_are_compared_by_words_and_for_noise_than_a_budget_allows(
    monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    monkeypatch.setattr(edits_of_pairs, "_EDITS_BUDGET", budget)
    monkeypatch.setattr(edits_of_pairs, "_NOISE_BUDGET", budget)
    asked: list[str] = []
    masked: list[str] = []

    def edits(old: str, new: str) -> Iterator[Edit]:
        asked.append(old)
        return text_edits(old, new)

    def noise(old: str, new: str) -> str:
        masked.append(old)
        return noise_of(old, new)

    monkeypatch.setattr(edits_of_pairs, "text_edits", edits)
    monkeypatch.setattr(edits_of_pairs, "noise_of", noise)
    old, new = ("\n".join(f"row {chr(0x4E00 + n) * 3} of {k} and some of {k + n} here"
                     for n in range(300))
                for k in (1000, 2000))  # fmt: skip
    found = [edit for region in changed_regions(old, new) for edit in region.edits]
    assert [edit.change for edit in found] == ["edited"] * 300
    # Two edits, and 74 characters, of each pair.
    assert len(asked) == min(300, -(-budget // 2))
    assert len(masked) == min(300, -(-budget // 74))
    assert sum(edit.noise == "numbers" for edit in found) == len(masked)


def test_after_the_budget_a_pair_is_marked_from_the_first_changed_word_to_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(edits_of_pairs, "_EDITS_BUDGET", 0)
    monkeypatch.setattr(edits_of_pairs, "_NOISE_BUDGET", 0)
    old, new = "Zeus had 3 of the nine old thunderbolts", "Zeus had 5 of the nine new thunderbolts"
    assert changed(old, new) == [
        ("edited", "Zeus had [3 of the nine old] thunderbolts",
         "Zeus had [5 of the nine new] thunderbolts")
    ]  # fmt: skip


def test_white_space_in_a_pair_is_no_edit_after_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits_of_pairs, "_EDITS_BUDGET", 0)
    assert EditFinder().edits("10 %", "10%") == []
