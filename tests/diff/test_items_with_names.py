"""Items that stay, by their name, their time or their place, though much of them changed."""

from schemas.records.answers import Heading
from tests.fakes.changed import changed

CARDS = "Lamp\n{}\n{}\n\nChair\n{}\n{}\n\nDesk\n9 €\nIn stock"
NAMES = "Lamp", "Chair", "Desk"


def changed_cards(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    return changed(old, new, tuple(Heading(new.index(name), 3) for name in NAMES))


def test_price_and_state_that_two_cards_exchange_are_told_of_both() -> None:
    old = CARDS.format("30 €", "Sold out", "40 €", "In stock")
    new = CARDS.format("40 €", "In stock", "30 €", "Sold out")
    assert changed_cards(old, new) == [
        ("edited", "[30] €", "[40] €"),
        ("removed", "Sold out", None),
        ("added", None, "In stock"),
        ("edited", "[40] €", "[30] €"),
        ("removed", "In stock", None),
        ("added", None, "Sold out"),
    ]


def test_a_price_is_edited_though_all_below_the_name_changed() -> None:
    page = "Chair\n{}\n{}\n\nLamp\n{}"
    old, new = page.format("30 €", "In stock", "20 €"), page.format("25 €", "Sold out", "19 €")
    headings = tuple(Heading(new.index(name), 3) for name in NAMES[:2])
    assert ("edited", "[30] €", "[25] €") in changed(old, new, headings)


def test_states_below_lines_that_begin_a_block_are_told_with_other_news_and_without() -> None:
    page = "Lamp\n{}\n\nChair\n{}\n\nSeen {} times"
    exchanged = [
        ("removed", "Sold out", None),
        ("added", None, "In stock"),
        ("removed", "In stock", None),
        ("added", None, "Sold out"),
    ]
    old = page.format("Sold out", "In stock", 3)
    assert changed(old, page.format("In stock", "Sold out", 3)) == exchanged
    found = changed(old, page.format("In stock", "Sold out", 4))
    assert found == [*exchanged, ("edited", "Seen [3] times", "Seen [4] times")]


def test_entries_of_a_list_that_change_places_are_no_states() -> None:
    old = "Menu\n\nAlpha\nBeta\nGamma\nDelta\nEpsilon"
    assert [event for event, *_ in changed(old, old.replace("Beta", "_").replace("Delta", "Beta")
            .replace("_", "Delta"))] == ["moved"]  # fmt: skip


def test_a_new_entry_with_the_title_of_the_others_is_new_with_its_date() -> None:
    known = "Weekly update\n3 May\n\nWeekly update\n26 April\n\nWeekly update\n19 April"
    assert changed(f"{known}\n\nAbout us", f"Weekly update\n10 May\n\n{known}\n\nAbout us") == [
        ("added", None, "Weekly update"),
        ("added", None, "10 May"),
    ]


DISPATCH = """10:57:36 PM FF2301668
South City on Control-3
Medical aid
MAYFAIR AVE #7 ,SSF
>E161
10:56:07 PM SF2303275
Mateo Con Fire on Control-2
Public assist
2643 GARFIELD ST ,SMO
>E23
Audio
All rights are reserved by us.
Mail us"""


def test_the_only_entry_of_a_list_has_its_label_though_the_one_that_went_had_it_too() -> None:
    footer = DISPATCH.partition("Audio")[2]
    entry = "11:19:03 PM NF2303236\nNorth on Control-3\nMedical aid\nROSITA RD ,PCF\n>E72"
    new = f"{entry}\nAudio{footer}"
    found = changed(DISPATCH, new)
    assert ("removed", "Medical aid", None) in found
    assert ("added", None, "Medical aid") in found
    assert not any("Audio" in (old, now) for _, old, now in found)


def test_a_footer_below_entries_that_all_changed_has_stayed() -> None:
    old = DISPATCH.replace(">E23", ">E23 >E17\n>E9 >E8")
    new = old.replace("PM", "AM").replace("FF2301668", "GG1").replace("SF2303275", "GG2")
    new = new.replace("GARFIELD", "ELM").replace("E17", "E4").replace(">E8", ">E5 >E6")
    assert not any("Audio" in (was, now) for _, was, now in changed(old, new))


def test_a_sentence_of_a_text_that_stands_twice_has_stayed_with_both_of_its_copies() -> None:
    one = "We keep your data for two years. Click on a section below to read. We sell none of it."
    two = one.replace("two years", "three years and longer if the law of your country asks for it")
    other = f"{one}\n\nAll of it again\n\n{one}", f"{two}\n\nAll of it again\n\n{two}"
    assert not any("Click" in (old or now or "") for _, old, now in changed(*other))
