"""What an entry says of a sentence and a keyword."""

from typing import Any

import pytest

from schemas.codec.body import diff_json
from schemas.records.changes import Diff, Edit, Place, Region, Sentence
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching import entries as entries_module
from streams.matching import passages
from streams.matching.matcher import Matcher
from streams.matching.passages import MAX_MERGED, text_link
from streams.matching.snippets import MAX_CELL, MAX_TEXT
from tests.fakes.regions import edited
from tests.fakes.variants import varied

BASE = Subscription("s", "w", "m", "u", "u", Receiver(session="c"), ("k",), Options(), 0)
PAGE = "https://d.test/page"


def entries(regions: tuple[Region, ...], *keywords: str, **options: Any) -> tuple[Diff, ...]:
    subscription = varied(BASE, keywords=keywords, **options)
    return Matcher(regions, "en", page=PAGE).diffs(subscription)[0]


def lines(*texts: str, change: str = "added", headings: tuple[str, ...] = ()) -> Region:
    """A place with these new (gone) sentences, one a line; an empty one is an empty line."""
    place, at, edits = Place(0, "\n".join(texts)), 0, []
    for text in texts:
        side = Sentence(at, at + len(text), ())
        if text:
            is_new = change == "added"
            edits.append(Edit(change, None if is_new else side, side if is_new else None, ""))
        at += len(text) + 1
    sides = (None, place) if change == "added" else (place, None)
    return Region(sides[0], sides[1], headings, tuple(edits))


@pytest.mark.parametrize("change", ["added", "removed"])
def test_adjacent_new_or_gone_lines_with_a_keyword_are_one_entry(change: str) -> None:
    region = lines("argus one", "argus two", "", "argus three", "zeus", "argus four", change=change)
    found = entries((region,), "argus", snippet_offset=0)
    assert [each.text for each in found] == ["argus one\nargus two", "argus three", "argus four"]


def test_any_change_has_adjacent_lines_in_one_entry_too() -> None:
    found = entries((lines("argus one", "zeus"), lines("hera")), "*")
    assert [each.text for each in found] == ["argus one\nzeus", "hera"]


def test_one_entry_of_several_lines_has_so_many_characters_at_most() -> None:
    many = [f"argus number {n:03}" for n in range(100)]
    found = entries((lines(*many),), "argus", "*")
    texts = [each.text for each in found if each.keyword == "argus"]
    assert "\n".join(texts).split("\n") == many
    assert MAX_MERGED - 20 < len(texts[0]) <= MAX_MERGED


def test_lines_that_came_between_lines_that_went_are_still_adjacent() -> None:
    old, new = ("gone one\ngone two", "argus one\nargus two")
    gone = [Sentence(0, 8, ()), Sentence(9, 17, ())]
    come = [Sentence(0, 9, ()), Sentence(10, 19, ())]
    edits = []
    for one, other in zip(gone, come, strict=True):
        edits += [Edit("removed", one, None, ""), Edit("added", None, other, "")]
    region = Region(Place(0, old), Place(0, new), (), tuple(edits))
    found = entries((region,), "argus", "gone")
    assert [each.text for each in found] == ["gone one\ngone two", "argus one\nargus two"]


def test_an_edited_sentence_has_both_sides_and_the_numbers_that_changed() -> None:
    pair = "Seen by 212 people in 3 towns", "Seen by 214 people in 3 towns"
    (gone, came) = entries(changed_regions(*pair), "seen", ignore_case=True)
    assert [each.change for each in (gone, came)] == ["edited", "edited"]
    assert {(each.before, each.after) for each in (gone, came)} == {pair}
    assert [(each.before, each.after) for each in gone.values] == [("212", "214")]
    assert gone.noise == "numbers"


def test_changed_words_and_keywords_are_marked_in_text_and_snippet() -> None:
    region = lines("The hundred-eyed Argus sleeps.", "Zeus wakes Argus.")
    (found,) = entries((region,), "zeus", ignore_case=True)
    assert diff_json(found)["offsets"] == {
        "text": {"changed": [[0, 17]], "keyword": [[0, 4]]},
        "snippet": {"changed": [[0, 30], [31, 48]], "keyword": [[31, 35]]},
    }
    edit = edited("It is 2 % now.", "It is 4 % now.", ((6, 7),), ((6, 7),))
    (found, _) = entries((edit,), "now", snippet_offset=3)
    assert diff_json(found)["offsets"]["text"] == {"changed": [[6, 7]], "keyword": [[10, 13]]}


def test_the_signs_of_a_keyword_are_marked_with_it() -> None:
    (found,) = entries((lines("C, C# and C++ are there."),), "C++", snippet_offset=0)
    assert diff_json(found)["offsets"]["text"]["keyword"] == [[10, 13]]
    (found,) = entries((lines("Save $ 5 or 50 % today."),), "50% $5")
    assert diff_json(found)["offsets"]["text"]["keyword"] == [[5, 8], [12, 16]]


def test_a_long_sentence_is_cut_around_the_word_with_the_signs() -> None:
    text = "C and " + "x " * MAX_TEXT + "C++ ends it"
    (found,) = entries((lines(text),), "C++")
    assert "C++" in found.text
    assert len(found.text) <= MAX_TEXT


def test_marks_are_where_the_words_are_after_dots() -> None:
    text = "Once upon a time the giant Argus was a guard of a heifer in the grove."
    start = text.index("Argus")
    edit = edited(text.replace("Argus", "Zeus"), text, ((27, 31),), ((start, start + 5),))
    (found,) = entries((edit,), "argus", ignore_case=True, snippet_offset=10)
    assert (found.text, found.snippet) == ("Argus", "... the giant Argus was a ...")
    assert diff_json(found)["offsets"]["snippet"] == {"changed": [[14, 19]], "keyword": [[14, 19]]}


def test_the_headings_above_are_in_each_entry() -> None:
    region = lines("argus sleeps", headings=("Myths", "Giants"))
    assert diff_json(entries((region,), "argus")[0])["headings"] == ["Myths", "Giants"]


def test_what_is_absent_is_left_out_of_the_body() -> None:
    found = entries((lines("argus sleeps", change="removed"),), "argus")
    assert diff_json(found[0]) == {
        "event": "removed",
        "keyword": "argus",
        "text": "argus sleeps",
        "snippet": "argus sleeps",
        "change": "removed",
        "offsets": {
            "text": {"changed": [[0, 12]], "keyword": [[0, 5]]},
            "snippet": {"changed": [[0, 12]], "keyword": [[0, 5]]},
        },
    }


def test_a_link_leads_to_what_is_in_the_page_now() -> None:
    assert entries((lines("argus sleeps"),), "argus")[0].link == f"{PAGE}#:~:text=argus%20sleeps"
    region = edited("zeus sleeps", "argus sleeps", ((0, 4),), ((0, 5),))
    assert {each.link for each in entries((region,), "argus", "zeus")} == {
        f"{PAGE}#:~:text=argus%20sleeps"
    }


@pytest.mark.parametrize(
    ("text", "directive"),
    [
        ("2-4 %, or more & so", "2%2D4%20%25%2C%20or%20more%20%26%20so"),
        ("Lamp\t5 €\tred", "Lamp,red"),
        ("first line\n\nand the last", "first%20line,and%20the%20last"),
        (
            " ".join(f"w{n}" for n in range(40)),
            "w0%20w1%20w2%20w3%20w4,w35%20w36%20w37%20w38%20w39",
        ),
        ("x" * 70, "x" * 70),
        ("東京都", "%E6%9D%B1%E4%BA%AC%E9%83%BD"),
    ],
)
def test_a_text_fragment_is_percent_encoded_and_names_the_ends_of_a_long_text(
    text: str, directive: str
) -> None:
    assert text_link(PAGE, text) == f"{PAGE}#:~:text={directive}"


def test_a_url_with_a_fragment_keeps_it() -> None:
    assert text_link(f"{PAGE}#/one", "argus") == f"{PAGE}#/one:~:text=argus"
    assert text_link(PAGE, " \n") == ""


def test_long_sentences_of_an_edit_are_cut_around_what_changed() -> None:
    filler = "filler " * 3_000
    region = edited(f"{filler}zeus", f"{filler}hera", ((21_000, 21_004),), ((21_000, 21_004),))
    (found,) = entries((region,), "hera")
    assert found.text == "hera"
    assert found.after.endswith("filler hera")
    assert max(len(found.after), len(found.before)) <= MAX_TEXT


COORDINATES = ",".join(f"{n}.25" for n in range(5_000, 12_000))


@pytest.mark.parametrize(
    "text",
    [
        f"Troy\t{COORDINATES}\tKing Priam\t{COORDINATES}",
        f"{COORDINATES} King Priam {COORDINATES}",
        f"{COORDINATES},Priam,{COORDINATES}",
    ],
)
def test_a_sentence_with_a_long_cell_or_word_is_shortened_around_the_keyword(text: str) -> None:
    (found,) = entries((lines(text),), "Priam")
    assert "Priam" in found.text
    assert found.text in text
    assert len(found.text) <= MAX_CELL
    (span,) = found.marks.text.keyword
    assert found.text[span.start : span.end] == "Priam"


def test_both_sides_of_an_edit_with_a_long_word_are_shortened_around_what_changed() -> None:
    old, new = (f"Troy {'ab' * 4_000}{sign} {COORDINATES}" for sign in "yz")
    (found,) = (diff for diff in entries(changed_regions(old, new), "*") if diff.event == "added")
    assert 0 < max(map(len, (found.text, found.before, found.after))) <= MAX_CELL


def test_entries_are_the_same_where_nothing_more_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    regions = changed_regions("argus sleeps\n\nzeus pays 3 €", "argus wakes\n\nzeus pays 4 €\nhera")
    everyone = [
        varied(BASE, keywords=keywords, snippet_offset=offset)
        for keywords in (("argus", "zeus"), ("zeus pays", "*"), ("hera",))
        for offset in (0, 50)
    ]
    expected = list(map(Matcher(regions, "en", page=PAGE).diffs, everyone))
    monkeypatch.setattr(entries_module, "MAX_ENTRIES", 1)
    monkeypatch.setattr(entries_module, "MAX_WORDS", 2)
    monkeypatch.setattr(passages, "MAX_PASSAGES", 1)
    matcher = Matcher(regions, "en", page=PAGE)
    assert list(map(matcher.diffs, everyone)) == expected
    made = matcher._entries
    cached = made._known, made._places, made._passages._known, made._passages._sides
    assert max(len(each) for each in cached) == 1
