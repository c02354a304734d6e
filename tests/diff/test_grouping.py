"""Where a change is: what stands around it, the headings above it, and the regions it is in."""

from connectors.readers.html import html_text
from schemas.records.answers import Heading
from schemas.records.changes import MAX_CONTEXT
from streams.diff.grouping import MAX_BLOCK, MAX_SIZE
from streams.diff.regions import changed_regions

LAW = "Law\nIn force.\nFines\nSmall ones\nThey shall not exceed 2 %.\nScope\nIt binds all gods."
HEADINGS = tuple(
    Heading(LAW.index(line), level)
    for line, level in (("Law", 1), ("Fines", 2), ("Small ones", 3), ("Scope", 2))
)
CARD = "<div class=card><h2>{}</h2><div>{}.000 €</div><div>3 rooms</div><a>Details</a></div>"
FILLER = "\n\n".join(f"Altar {'abcdefgh'[n]} of the gods stands by the sea." for n in range(8))


def test_headings_above_a_change_are_the_outermost_first() -> None:
    for old, expected in (
        ("exceed 4 %", ("Law", "Fines", "Small ones")),
        ("binds no gods", ("Law", "Scope")),
    ):
        new = old.replace("4", "2").replace("no", "all")
        (region,) = changed_regions(LAW.replace(new, old), LAW, HEADINGS)
        assert region.headings == expected


def test_above_a_new_heading_are_those_that_it_is_under_and_not_the_one_before_it() -> None:
    (region,) = changed_regions(LAW.replace("Scope\n", ""), LAW, HEADINGS)
    assert region.headings == ("Law",)


def test_a_new_item_of_a_feed_is_not_under_the_item_before_it() -> None:
    new = "Myths\n\nZeus wakes\nHe rules.\n\nArgus sleeps\nHermes plays."
    headings = [Heading(0, 1), Heading(new.index("Zeus"), 2), Heading(new.index("Argus"), 2)]
    (region,) = changed_regions(new.partition("\n\nArgus")[0], new, headings)
    assert region.headings == ("Myths",)


def test_new_items_of_a_feed_are_one_region_under_its_heading() -> None:
    old = "Myths\n\nZeus wakes\nHe rules."
    new = old.replace("Zeus", "Argus sleeps\nHermes plays.\n\nIo flees\nA gadfly bites.\n\nZeus")
    headings = [
        Heading(0, 1),
        *(
            Heading(new.index(name), 2, new.find("\n\n", new.index(name)) + 2)
            for name in ("Argus", "Io")
        ),
        Heading(new.index("Zeus"), 2),
    ]
    (region,) = changed_regions(old, new, headings)
    assert region.headings == ("Myths",)
    assert len(region.edits) > 2


def test_edits_under_different_headings_are_apart_however_near_they_are() -> None:
    old = LAW.replace("2 %", "4 %").replace("binds all", "binds no")
    found = [region.headings for region in changed_regions(old, LAW, HEADINGS)]
    assert found == [("Law", "Fines", "Small ones"), ("Law", "Scope")]


def test_what_was_removed_before_a_heading_stood_under_the_one_before_it() -> None:
    new = LAW.replace("exceed 2 %.\nScope", "exceed 2 %.\nNobody pays.\nScope")
    (region,) = changed_regions(new, LAW, HEADINGS)
    assert region.headings == ("Law", "Fines", "Small ones")


def test_a_removed_sentence_has_the_headings_of_where_it_stood() -> None:
    (region,) = changed_regions(LAW.replace("binds", "stands.\nIt binds"), LAW, HEADINGS)
    assert (region.added, region.headings) == (None, ("Law", "Scope"))


def test_a_removed_card_did_not_stand_under_the_card_before() -> None:
    gone = "Chair\n30 €\nFew left\n\n"
    old = f"Shop\n\nLamp\n20 €\nSold out\n\n{gone}Desk\n9 €\nFew left\n\nImprint"
    new = old.replace(gone, "").replace("20", "21")
    ends = {"Lamp": new.index("Desk"), "Desk": new.index("Imprint")}
    cards = (Heading(new.index(name), 2, end) for name, end in ends.items())
    found = changed_regions(old, new, (Heading(0, 1), *cards))
    assert [region.headings for region in found] == [("Shop", "Lamp"), ("Shop",)]


def test_a_removed_card_did_not_stand_under_another_one_that_moved_up() -> None:
    old = html_text("".join(map(CARD.format, ("Loft", "Attic", "Barge"), (8, 7, 6)))).text
    page = html_text("".join(map(CARD.format, ("Cabin", "Loft", "Barge"), (9, 5, 6))))
    found = changed_regions(old, page.text, page.headings)
    gone = [each.headings for each in found if each.removed and "Attic" in each.removed.text]
    assert [edit.change for each in found for edit in each.edits].count("edited") == 1
    assert () in gone


def test_a_heading_is_cut_and_no_more_than_three_are_kept() -> None:
    lines = ["a", "b", "c", "d" * 300, "Zeus"]
    text = "\n".join(lines)
    headings = tuple(Heading(2 * n, n + 1) for n in range(4))
    (region,) = changed_regions("\n".join(lines[:-1]), text, headings)
    assert region.headings == ("b", "c", "d" * 200)


def test_whole_sentences_and_the_whole_block_are_kept_around_a_change() -> None:
    block = "Fines are small. They shall not exceed 2 %.\nNobody pays them."
    text = f"{FILLER}\n\n{block}\n\n{FILLER}"
    (region,) = changed_regions(text, text.replace("2 %", "4 %"))
    assert region.removed is not None
    assert text[region.removed.start :].startswith(region.removed.text)
    assert block in region.removed.text
    assert set(region.removed.text.split("\n\n")) <= {*FILLER.split("\n\n"), block}
    assert len(region.removed.text) <= len(block) + 2 * MAX_CONTEXT


def test_a_long_sentence_next_to_a_change_is_cut_at_a_word() -> None:
    words = "word " * (MAX_BLOCK // 4)
    old, new = (f"{words}.\n{middle}\n{words}" for middle in ("Zeus", "Hera"))
    (region,) = changed_regions(old, new)
    assert region.added is not None
    before, after = region.added.text.split("Hera")
    assert before == "word " * (len(before) // 5) + ".\n"
    assert after == "\n" + " ".join(["word"] * ((len(after)) // 5))
    assert 150 < len(before) <= MAX_CONTEXT
    assert 150 < len(after) <= MAX_CONTEXT


def test_changes_near_each_other_share_what_is_around_them() -> None:
    old = f"Zeus\n\nAn altar of the gods.\n\nHera\n\n{FILLER}\n\n{FILLER.upper()}\n\nAres"
    new = old.replace("Zeus", "Pan").replace("Hera", "Io").replace("Ares", "Eos")
    assert [len(region.edits) for region in changed_regions(old, new)] == [4, 2]


def test_a_region_is_cut_between_edits() -> None:
    old = "\n".join(f"{'abcdefghij'[n % 10]}{n} of Troy" for n in range(20_000))
    regions = changed_regions("", old)
    assert len(regions) > 1
    assert sum(len(region.edits) for region in regions) == 20_000
    assert all(len(region.added.text) < MAX_SIZE for region in regions if region.added)
