"""What counts as news: sentences that came, went or were edited, wherever they stand."""

import pytest

from streams.diff.line_alignment import differing_blocks
from tests.fakes.changed import changed

FRONT_OLD = """World
Serena Williams wins in Melbourne
The match took two hours.
Politics
Parliament votes on the budget
Serena Williams to speak at the gala
Weather
Rain in the north"""
FRONT_NEW = """World
Storm closes the harbour of Piraeus
Why Serena Williams changed her coach
Politics
Parliament votes on the budget
A stamp for Serena Williams
Weather
Rain in the north"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "Fines shall not exceed 2 %.",
            "Fines shall not exceed 4 %.",
            ("edited", "Fines shall not exceed [2] %.", "Fines shall not exceed [4] %."),
        ),
        ("Price: €1,299", "Price: €1,199", ("edited", "Price: €[1,299]", "Price: €[1,199]")),
        (
            "is the of the 100-eyed giant in Greek mythology.",
            "Argus Panoptes is the name of the 100-eyed giant in Norse mythology.",
            (
                "edited",
                "is the of the 100-eyed giant in [Greek] mythology.",
                "[Argus Panoptes] is the [name] of the 100-eyed giant in [Norse] mythology.",
            ),
        ),
        (
            "$64,120.50 (+1.2%)",
            "$9,870.10 (-3.4%)",
            ("edited", "$[64,120.50 (+1.2]%)", "$[9,870.10 (-3.4]%)"),
        ),
        ("Place: Berlin", "Place: from home",
         ("edited", "Place: [Berlin]", "Place: [from home]")),
        ("API\tup\tsince May", "API\tdown\tfor 2 hours",
         ("edited", "API\t[up\tsince May]", "API\t[down\tfor 2 hours]")),
        ("It costs 99.99 now", "It costs 99.95 now",
         ("edited", "It costs [99.99] now", "It costs [99.95] now")),
    ],
)  # fmt: skip
def test_a_sentence_that_is_like_another_is_that_one_edited(
    old: str, new: str, expected: tuple[str, str, str]
) -> None:
    assert changed(old, new) == [expected]
    assert changed(f"Top.\n{old}\nEnd.", f"Top.\n{new}\nEnd.") == [expected]


def test_a_state_that_becomes_another_was_removed_and_added() -> None:
    assert changed("API\nMajor Outage\nSince noon", "API\nDegraded\nSince noon") == [
        ("removed", "Major Outage", None),
        ("added", None, "Degraded"),
    ]


def test_states_that_two_components_exchange_have_changed() -> None:
    old = "API\nOperational\nCDN\nMajor Outage\nMail\nOperational"
    new = "API\nMajor Outage\nCDN\nOperational\nMail\nOperational"
    assert changed(old, new) == [
        ("removed", "Operational", None),
        ("added", None, "Major Outage"),
        ("removed", "Major Outage", None),
        ("added", None, "Operational"),
    ]


def test_items_that_change_places_have_moved() -> None:
    ((event, *_),) = changed("Gods\nZeus\nHera\nArgus", "Gods\nArgus\nHera\nZeus")
    assert event == "moved"


def test_a_name_in_two_old_and_two_new_headlines_is_in_four_edits() -> None:
    found = changed(FRONT_OLD, FRONT_NEW)
    assert [edit for edit in found if "Williams" in str(edit)] == [
        ("removed", "Serena Williams wins in Melbourne", None),
        ("added", None, "Why Serena Williams changed her coach"),
        ("removed", "Serena Williams to speak at the gala", None),
        ("added", None, "A stamp for Serena Williams"),
    ]


def test_a_sentence_of_a_paragraph_is_compared_by_itself() -> None:
    old = "Zeus rules. Hera watches him. They live on Olympus."
    new = "Zeus rules. They live on Olympus. Argus has a hundred eyes."
    assert changed(old, new) == [
        ("removed", "Hera watches him.", None),
        ("added", None, "Argus has a hundred eyes."),
    ]


def test_an_item_that_replaces_another_one_of_its_kind_is_no_edit_of_it() -> None:
    old = "Calls\nFire at 12 Main St\nRoad closed"
    new = "Calls\nFire at 14 Oak Ave\nRoad closed"
    assert changed(old, new) == [
        ("removed", "Fire at 12 Main St", None),
        ("added", None, "Fire at 14 Oak Ave"),
    ]


def test_a_label_comes_with_the_new_line_next_to_it() -> None:
    old = "Fire at Elm Rd\nMedical aid\nCrash on Route 7\nTraffic"
    new = old.replace("Crash", "Fall at Hill View Home\nMedical aid\nCrash")
    assert changed(old, new) == [
        ("added", None, "Fall at Hill View Home"),
        ("added", None, "Medical aid"),
    ]


def test_an_item_that_is_new_comes_with_all_of_its_lines() -> None:
    first = "Crash on Elm Road\nResolved - This incident has been resolved."
    second = "Fire on Oak Avenue\nResolved - This incident has been resolved."
    assert changed(f"Status\n\n{first}", f"Status\n\n{second}\n\n{first}") == [
        ("added", None, "Fire on Oak Avenue"),
        ("added", None, "Resolved - This incident has been resolved."),
    ]


def test_a_gone_item_goes_with_its_last_line_though_the_one_before_it_ends_alike() -> None:
    first = "Crash on Elm Road\nInvestigating - We look into it."
    second = "Fire on Oak Avenue\nNoon\nInvestigating - We look into it."
    old, new = f"News\n\n{first}\n\n{second}", f"Status\n\n{first}"
    assert changed(old, new)[2:] == [
        ("removed", "Fire on Oak Avenue", None),
        ("removed", "Noon", None),
        ("removed", "Investigating - We look into it.", None),
    ]


def test_entries_of_a_list_without_empty_lines_are_items() -> None:
    def entry(time: str, place: str) -> str:
        return f"{time}\nCounty Fire on Control-2\nMedical aid\n{place}\n"

    known = entry("8:15 PM", "Elm St") + entry("7:30 PM", "Oak Ave") + entry("7:02 PM", "Bay Rd")
    gone, new = entry("6:48 PM", "Hill Rd"), entry("8:31 PM", "Main St")
    found = changed(f"Calls\n\n{known}{gone}End", f"Calls\n\n{new}{known}End")
    assert found == [
        *(("added", None, line) for line in new.splitlines()),
        *(("removed", line, None) for line in gone.splitlines()),
    ]


def test_a_field_of_a_new_record_has_not_moved_there_from_a_gone_one() -> None:
    record = "id: {}\nname: {}\nsection: Tennis\nurl: {}"
    gone = record.format(12, "Zeus wins the cup", "/olympus")
    new = record.format(77, "Why Argus trains at night", "/giants")
    other = "id: 50\nname: Hera\nsection: Books\nurl: /hera"
    found = changed(f"{other}\n\n{gone}", f"{new}\n\n{other}")
    assert ("removed", "section: Tennis", None) in found
    assert ("added", None, "section: Tennis") in found


def test_an_entry_is_one_of_a_list_though_the_other_snapshot_has_few_of_them() -> None:
    old = "Calls\n\n6:08 AM\nCounty Fire\nAlarm\nElm St"
    new = "Calls\n\n6:54 AM\nCounty Fire\nFlood\nBay Rd\n6:48 AM\nTree\n6:47 AM\nRoad closed"
    assert ("added", None, "County Fire") in changed(old, new)
    assert ("removed", "County Fire", None) in changed(old, new)


def test_a_headline_that_stands_twice_in_an_item_has_moved_with_it() -> None:
    headline = "Zeus wins the cup\nZeus wins the cup"
    other = "A teaser that nobody wrote\nMore\nand more"
    old = f"World\n\n{headline}\nAn old teaser\nof two lines\n\n{other}"
    new = f"World\n\n{other}\n\n{headline}\nA long new one\nwith many words"
    assert not [edit for edit in changed(old, new) if "Zeus" in str(edit)]


def test_what_comes_after_the_last_entry_of_a_list_is_not_of_it() -> None:
    def calls(*entries: str) -> str:
        lines = "\n".join(f"{each}\nMedical aid\nE9" for each in entries)
        return f"Calls\n\n{lines}\nAudio\nContact us\nImprint"

    old = calls("8:15 PM Elm St", "7:30 PM Oak Ave", "7:02 PM Bay Rd")
    new = calls("8:15 PM Elm St", "7:30 PM Oak Ave", "7:07 PM Tower of Hera")
    assert ("added", None, "Medical aid") in changed(old, new)


def test_an_item_that_replaced_another_is_no_edit_of_it_though_its_numbers_are_alike() -> None:
    old = "Calls\n\nArea: Redfern\nStatus: Proposed\nWebId: 70166\nJobId: 12\nStreets: Regent St"
    new = "Calls\n\nArea: Awaba\nStatus: Proposed\nWebId: 70210\nJobId: 17\nStreets: Fern Lane"
    assert {event for event, *_ in changed(old, new)} == {"removed", "added"}


def test_an_item_of_which_all_numbers_changed_is_edited() -> None:
    old = "Load\n\nVisitors: 212\nUpdated at 10:15"
    new = "Load\n\nVisitors: 214\nUpdated at 11:45"
    assert [event for event, *_ in changed(old, new)] == ["edited", "edited"]


def test_an_item_that_is_edited_keeps_its_lines() -> None:
    item = "WebId: 70166\nStreets: {}\nStatus: Proposed\nArea: Redfern"
    old = f"{item.format('Regent St')}\n\nWebId: 70167\nStatus: Proposed"
    found = changed(old, old.replace("Regent St", "Awaba Road, Fern Lane and the Bay"))
    assert {text for _, *both in found for text in both if text} == {
        "Streets: Regent St",
        "Streets: Awaba Road, Fern Lane and the Bay",
    }


def test_a_row_is_an_item_and_brings_no_other_rows() -> None:
    head = "Company\tPosition\tAge"
    old = f"{head}\nAcme\tCook\t2 d\n\n{head}\nInitech\tSmith\t3 d"
    new = f"{head}\nGlobex\tPilot\t1 h\n\n{head}\nHooli\tBaker\t5 d"
    assert "Company" not in str(changed(old, new))


def test_a_sentence_that_moves_into_a_new_item_is_not_new() -> None:
    old = "Zeus rules the gods of Olympus.\n\nHera\nShe watches him from afar."
    new = "Hera\n\nAres wages a war.\nShe watches him from afar.\nNobody knows why."
    assert "afar" not in str(changed(old, new))


def test_blocks_that_moved_are_neither_removed_nor_added() -> None:
    old = "One is here.\nTwo is there.\n\nThree is a crowd.\nFour is more."
    new = "Three is a crowd.\nFour is more.\n\nOne is here.\nTwo is there."
    ((kind, gone, come),) = changed(old, new)
    assert kind == "moved"
    assert gone == come


def test_a_move_is_not_an_edit_where_anything_else_changed() -> None:
    old = "One is here.\nTwo is there.\nThree is a crowd."
    new = "Three is a crowd.\nOne is here.\nTwo is there.\nFour is quite new."
    assert changed(old, new) == [("added", None, "Four is quite new.")]


def test_a_sentence_that_moved_and_was_edited_is_one_edit() -> None:
    sentence = "The council of the gods meets on the first day of the month"
    filler = "\n".join(f"{name} has an altar" for name in ("Hera", "Ares", "Pan", "Eros", "Nike"))
    assert changed(f"{sentence}\n{filler}", f"{filler}\n{sentence} at noon") == [
        ("edited", sentence, f"{sentence} [at noon]")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("one two\n", "one \t\n two"),
        ("one two", "one\n\n two "),
        ("costs $ 5", "costs $5"),
        ("a\nb\n\nc", "a\n\n\nb\nc"),
        ("", "  \n"),
    ],
)
def test_white_space_alone_is_no_change(old: str, new: str) -> None:
    assert changed(old, new) == []


def test_white_space_that_makes_other_words_is_a_change() -> None:
    expected = [("edited", "Hera has it [a part].", "Hera has it [apart].")]
    old, new = "Hera has it a part.", "Hera has it apart."
    assert changed(old, new) == expected
    # In a place by itself, next to one that differs more.
    assert changed(f"Zeus sleeps.\nRhea.\n{old}", f"Zeus wakes.\nRhea.\n{new}")[-1:] == expected


def test_a_row_of_a_table_is_one_unit() -> None:
    old = "Acme\tDeveloper. Remote\t2 d\nInitech\tTester\t3 d"
    new = "Globex\tDeveloper. Remote\t1 h\nAcme\tDeveloper. Remote\t2 d\nInitech\tTester\t3 d"
    assert changed(old, new) == [("added", None, "Globex\tDeveloper. Remote\t1 h")]


STATUS = "Status\n\nAPI\nOperational\n\nWeb\nOperational\n\nCDN\nMajor Outage\n\nDB\nOperational"
OUTAGE = STATUS.replace("API\nOperational", "API\nMajor Outage")


@pytest.mark.parametrize(
    ("old", "new", "gone", "come"),
    [
        (STATUS, OUTAGE, "Operational", "Major Outage"),
        (f"{STATUS}\nRead at noon.", f"{OUTAGE}\nWho knows?", "Operational", "Major Outage"),
        ("Alarm\nok", "Alarm\nAlarm\nok", None, "Alarm"),
        ("Alarm\nAlarm\nok", "Alarm\nok", "Alarm", None),
        ("X\n€799\nIn stock\nY\n€899\nGone", "X\n€899\nGone\nY\n€899\nGone", "In stock", "Gone"),
        ("He won. He lost. Zeus.", "He won. He won. Zeus.", "He lost.", "He won."),
    ],
)
def test_what_there_is_more_or_less_of_came_or_went(
    old: str, new: str, gone: str | None, come: str | None
) -> None:
    found = changed(old, new)
    assert (gone is None) == (not [each for kind, each, _ in found if kind == "removed"])
    assert gone is None or gone in str([one for _, one, _ in found])
    assert come is None or come in str([other for _, _, other in found])
    assert "moved" not in {kind for kind, _, _ in found}


def test_a_label_that_stands_often_is_no_news_where_something_else_is() -> None:
    items = "\n\n".join(f"Item {n}\nAdd to cart\n\nOffer {n}\nSold out" for n in range(20))
    old, new = f"Today\n\nAdd to cart\n\n{items}", f"Today\n\nSold out\n\n{items}"
    expected = [("removed", "Add to cart", None), ("added", None, "Sold out")]
    assert changed(old, new) == expected
    why = "Nobody knows why."
    assert changed(old, f"{new}\n\n{why}") == [("added", None, why)]


def test_a_state_below_a_name_is_news_however_often_others_are_in_it() -> None:
    items = "\n\n".join(f"Incident {n}\nResolved\nIt is over." for n in range(20))
    old, new = (f"Slow mail\n{each}\nWe look.\n\n{items}" for each in ("Identified", "Resolved"))
    why = "Nobody knows why."
    assert changed(old, f"{new}\n\n{why}") == [
        ("removed", "Identified", None),
        ("added", None, "Resolved"),
        ("added", None, why),
    ]


def test_what_stands_above_a_headline_is_of_it() -> None:
    news = "Türkei\nErdogan hat sich verschätzt und verliert\n\nLive-Ticker Corona\n{}\n\nSport"
    old, new = "Der Präsident verteidigt eine Kürzung", "Ein Verein zieht nun vor das Gericht"
    assert changed(news.format(old), news.format(new)) == [
        ("removed", "Live-Ticker Corona", None),
        ("removed", old, None),
        ("added", None, "Live-Ticker Corona"),
        ("added", None, new),
    ]


def test_a_name_above_a_state_or_an_edited_headline_has_not_come_with_it() -> None:
    old = "Live-Ticker Corona\nEin Verein zieht gegen Zuschauer vor Gericht"
    assert "Live" not in str(changed(old, old.replace("zieht gegen", "zog gegen")))
    assert "API" not in str(changed("API\nMajor outage", "API\nDegraded"))


def test_lines_that_recur_come_and_go_with_what_they_stand_by() -> None:
    def version(number: str) -> str:
        return f"Release {number} of all\n\nBug Fixes\nVarious bug fixes and improvements\n\n"

    known = version("1.1") + version("1.2")
    added = changed(f"News\n\n{known}", f"News\n\n{version('1.3')}{known}")
    assert [text for _, _, text in added] == version("1.3").replace("\n\n", "\n").splitlines()
    removed = changed(f"News\n\n{known}{version('1.0')}", f"News\n\n{known}")
    assert [text for _, text, _ in removed] == version("1.0").replace("\n\n", "\n").splitlines()


def test_a_headline_that_stands_in_a_box_as_well_is_no_news() -> None:
    headline = "A stamp for Serena Williams of Melbourne"
    old = f"World\n\n{headline}\n\nSport\n\nRain"
    assert changed(old, f"{old}\n\nMost read today on this page\n\n{headline}") == [
        ("added", None, "Most read today on this page")
    ]


def test_an_empty_line_says_of_no_line_which_one_it_is() -> None:
    old = ["Loft", "8 €", "3 rooms", "Book", "", "Attic", "7 €", "2 rooms", "Book"]
    new = ["Cabin", "9 €", "3 rooms", "Book", "", "Loft", "5 €", "3 rooms", "Book"]
    assert differing_blocks(old, new) == [(0, 0, 0, 5), (1, 2, 6, 7), (4, 9, 9, 9)]
