"""Ages of entries, as pages in many languages write them, and numbers of rows."""

import pytest

from streams.diff.noise import noise_of
from tests.fakes.changed import changed

AGES = [
    ("3시간 전", "5시간 전"),
    ("2 часа назад", "5 часов назад"),
    ("3 saat önce", "5 saat önce"),
    ("منذ 3 ساعات", "منذ 5 ساعات"),
    ("há 2 horas", "há 3 horas"),
    ("3 uur geleden", "5 uur geleden"),
    ("3 godziny temu", "5 godzin temu"),
    ("3 ore fa", "5 ore fa"),
    ("för 3 timmar sedan", "för 5 timmar sedan"),
    ("3 timer siden", "5 timer siden"),
    ("3 jam yang lalu", "5 jam yang lalu"),
    ("3 giờ trước", "5 giờ trước"),
    ("3 ชั่วโมงที่แล้ว", "5 ชั่วโมงที่แล้ว"),
    ("3 घंटे पहले", "5 घंटे पहले"),
    ("před 3 hodinami", "před 5 hodinami"),
    ("acum 3 ore", "acum 5 ore"),
    ("πριν από 3 ώρες", "πριν από 5 ώρες"),
    ("3 tuntia sitten", "5 tuntia sitten"),
    ("לפני 3 שעות", "לפני 5 שעות"),
    ("۳ ساعت پیش", "۵ ساعت پیش"),  # noqa: RUF001 - digits of Persian
    ("3 години тому", "5 годин тому"),
]
ENTRIES = "Alpha wins the race", "Beta goes to town", "Gamma is here"


@pytest.mark.parametrize(("old", "new"), AGES)
def test_ages_are_no_text_of_an_entry_in_any_language(old: str, new: str) -> None:
    assert noise_of(old, new) == "times"
    before, after = ("\n\n".join(f"{each}\n{age}" for each in ENTRIES) for age in (old, new))
    assert changed(before, after) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("há 3 vagas", "há 5 vagas"),
        ("vor 3 Richtern", "vor 5 Richtern"),
        ("3 hours left", "5 hours left"),
        ("3 Tore", "5 Tore"),
    ],
)
def test_other_numbers_are_no_ages(old: str, new: str) -> None:
    assert noise_of(old, new) != "times"
    assert changed(f"Alpha wins\n{old}\nGamma", f"Alpha wins\n{new}\nGamma")


def test_neither_number_nor_age_of_a_row_is_text_of_an_entry() -> None:
    def ranking(*names: str, hours: int) -> str:
        rows = enumerate(names, 1)
        return "\n".join(f"{number}.\t{name}\t{hours} hours ago" for number, name in rows)

    found = changed(ranking(*ENTRIES, hours=3), ranking("Zeus rains", *ENTRIES[:-1], hours=4))
    assert found == [
        ("added", None, "1.\tZeus rains\t4 hours ago"),
        ("removed", f"3.\t{ENTRIES[-1]}\t3 hours ago", None),
    ]


def test_numbers_of_clauses_are_no_text_of_them_and_those_of_dates_are() -> None:
    text = "{}. Fee\nIt is due on Monday.\n\n{}. Return\nBring it back."
    assert changed(text.format(1, 2), "1. Booking\n\n" + text.format(2, 3)) == [
        ("added", None, "1. Booking")
    ]
    days = "12. Mai: Orgel\nDom\n\n{}. Mai: Chor\nDom\n\n15. Mai: Jazz"
    assert changed(days.format(13), days.format(14)) == [
        ("edited", "[13]. Mai: Chor", "[14]. Mai: Chor")
    ]


@pytest.mark.parametrize("number", ["{}. ", "{} ", "#{} ", "{}.", "第{}位 "])
def test_numbers_of_rows_are_no_text_of_an_entry(number: str) -> None:
    old, new = (
        "\n".join(number.format(at + first) + each for at, each in enumerate(ENTRIES))
        for first in (1, 2)
    )
    assert changed(old, new) == []
