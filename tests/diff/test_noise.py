"""Edits in which only numbers, times, ids or the form of a sentence changed."""

import pytest

from streams.diff import noise
from streams.diff.noise import noise_of


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("numbers", "212 comments", "214 comments"),
        ("numbers", "Seen 1,024 times by 3 people", "Seen 1,031 times by 4 people"),
        ("times", "Updated 3 hours ago by Zeus", "Updated 5 hours ago by Zeus"),
        ("times", "just now", "2 minutes ago"),
        ("times", "vor 3 Stunden", "vor 5 Minuten"),
        ("times", "il y a 2 heures", "il y a 3 jours"),
        ("times", "hace 2 horas", "hace 3 días"),
        ("times", "3 小时前", "5 小时前"),
        ("times", "November 21, 2026", "November 22, 2026"),
        ("times", "21. November 2026, 10:03 Uhr", "22. November 2026, 9:15 Uhr"),
        ("times", "2026-11-21T10:03:00Z", "2026-11-22T11:00:07Z"),
        ("times", "9.1.2026", "21.11.2026"),
        ("times", "11/21/2026", "1/2/2027"),
        ("times", "21.11.26", "01.12.26"),
        ("ids", "build 9f3c2ab1 passed", "build 77aa0bcd passed"),
        ("ids", "see /x?token=a81bc81b99", "see /x?token=b99ec9e2aa"),
        (
            "ids",
            "run 123e4567-e89b-12d3-a456-426614174000",
            "run 00000000-e89b-12d3-a456-42661417ffff",
        ),
        ("form", "Hello world.", "hello, World!"),
        ("form", "the “best” way", 'the "best" way'),
        ("form", "Rhea — mother of Zeus", "Rhea: mother of Zeus"),
        ("form", "Rhea | Kronos", "Rhea · Kronos"),
        ("form", "⚠ Storm", "⚠\ufe0f Storm"),
        ("form", "It is 5 % off", "It is 5% off"),
        ("form", "infor\u00admation", "information"),
        ("form", "你好。世界", "你好, 世界"),
        ("numbers", "Members may 5 vote", "Members may 6 vote"),
        ("numbers", "Only 5 may vote", "Only 6 may vote"),
        ("times", "5 may 2026", "7 june 2026"),
        ("times", "May 5", "March 7"),
    ],
)
def test_what_alone_differs_is_recognised(kind: str, old: str, new: str) -> None:
    assert noise_of(old, new) == noise_of(new, old) == kind
    assert noise_of(f"Zeus said: {old}, so", f"Zeus said: {new}, so") == kind


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Price: €1,299", "Price: €1,199"),
        ("Price: 1,299 EUR", "Price: 1,199 EUR"),
        ("$5", "€5"),
        ("$ 5.00 off", "$ 6.00 off"),
        ("Fines shall not exceed 2 %", "Fines shall not exceed 4 %"),
        ("a load of 10 kg", "a load of 12 kg"),
        ("-5 degrees", "5 degrees"),
        ("1.5 kg", "15 kg"),
        ("Python 3.12.10 is out", "Python 3.12.11 is out"),
        ("nginx 1.2.34", "nginx 1.2.35"),
        ("Firefox 12.0.45", "Firefox 12.0.46"),
        ("DNS 10.10.10.10", "DNS 10.10.10.99"),
        ("Event on Monday", "Event on Tuesday"),
        ("212 comments", "214 answers"),
        ("open", "closed"),
        ("is it open?", "is it open!"),
        ("is it open", "is it open?"),
        ("- 500", "500"),
        ("\u2013 500", "500"),
        ("~500", "500"),
        (".5", "5"),
        ("it a part", "it apart"),
        ("the re-signed man", "the resigned man"),
        ("C++", "C#"),
        ("Software Engineer", "🔒 Software Engineer"),
        ("API ✅", "API ❌"),
        ("DAX ↑ Dow ↓", "DAX ↓ Dow ↑"),
        ("Piraeus", "⚠ Piraeus"),
        ("Thanks 👍🏻", "Thanks 👍🏿"),
        ("about ₿", "about ฿"),
        ("कि", "की"),
    ],
)
def test_words_amounts_and_signs_are_no_noise(old: str, new: str) -> None:
    assert noise_of(old, new) == noise_of(new, old) == ""
    assert noise_of(f"Zeus said: {old}, so", f"Zeus said: {new}, so") == ""


def test_what_is_too_long_to_be_looked_at_is_no_noise() -> None:
    assert noise_of("1 " * 1_000, "2 " * 1_000) == "numbers"
    assert noise_of("1 " * 1_001, "2 " * 1_001) == ""


def test_a_long_number_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # From each digit to the last one, it would take many minutes.
    monkeypatch.setattr(noise, "MAX_LENGTH", 1_000_000)
    assert noise_of("1" * 300_000, "2" * 300_000) == "numbers"


def test_the_age_of_a_row_is_a_time_and_a_duration_within_a_cell_is_none() -> None:
    assert noise_of("Tesla\tTester\t88d", "Tesla\tTester\t89d") == "times"
    assert noise_of("Tesla\t3h\tTester", "Tesla\t2d\tTester") == "times"
    assert noise_of("Tesla\ttakes 3d", "Tesla\ttakes 4d") == ""
    assert noise_of("Tesla 88d", "Tesla 89d") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Seats", "Seats 5"),
        ("Sold out", "Sold out (3)"),
        ("Open", "Open 10:00"),
        ("Build", "Build ab12cd9"),
        ("Argus\t1\t2", "Argus\t1\t2\t3"),
    ],
)
def test_a_number_time_or_id_that_comes_or_goes_is_no_form(old: str, new: str) -> None:
    assert noise_of(old, new) == noise_of(new, old) == ""
