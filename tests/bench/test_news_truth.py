from bench.news.truth import Question, Side, Truth


def side(text: str, **items: str) -> Side:
    return Side(text, {name: (each,) for name, each in items.items()})


def classes(truth: Truth, keyword: str) -> dict[str, str]:
    return {each.event: each.name for each in truth.questions(keyword)}


OLD = side("Zeus wakes\nHera sleeps", a="Zeus wakes", b="Hera sleeps")


def test_a_keyword_of_a_new_item_is_due_and_not_as_removed() -> None:
    new = side("Argus watches\nZeus wakes\nHera sleeps", a="Zeus wakes", b="Hera sleeps",
               c="Argus watches")  # fmt: skip
    assert classes(Truth(OLD, new), "Argus") == {"added": "new item", "removed": "other event"}


def test_a_keyword_of_a_gone_item_is_due_as_removed() -> None:
    new = side("Zeus wakes", a="Zeus wakes")
    assert classes(Truth(OLD, new), "Hera") == {"added": "other event", "removed": "gone item"}


def test_an_item_that_is_replaced_by_another_with_the_keyword_is_due_both_ways() -> None:
    new = side("Zeus storms\nHera sleeps", c="Zeus storms", b="Hera sleeps")
    assert classes(Truth(OLD, new), "Zeus") == {"added": "replaced", "removed": "replaced"}


def test_an_item_with_another_identity_but_the_same_text_is_not_new() -> None:
    new = side("Zeus wakes\nHera sleeps", c="Zeus wakes", b="Hera sleeps")
    assert classes(Truth(OLD, new), "Zeus") == {"added": "unchanged", "removed": "unchanged"}


def test_of_two_items_that_change_places_one_has_moved() -> None:
    new = side("Hera sleeps\nZeus wakes", a="Zeus wakes", b="Hera sleeps")
    truth = Truth(OLD, new)
    found = {classes(truth, keyword)["added"] for keyword in ("Zeus", "Hera")}
    assert found == {"moved only", "unchanged"}


def test_a_word_that_no_sentence_had_is_due_without_any_items() -> None:
    truth = Truth(side("The gods sleep."), side("The gods sleep. Zeus wakes."))
    assert classes(truth, "Zeus") == {"added": "new word", "removed": "other event"}


def test_an_edited_sentence_is_left_to_judges() -> None:
    truth = Truth(side("Zeus wakes at dawn"), side("Zeus wakes at noon"))
    assert classes(truth, "Zeus") == {"added": "edited", "removed": "edited"}


def test_a_label_is_not_unchanged_when_what_it_says_changed() -> None:
    truth = Truth(side("Live status: all gods awake"), side("Live status: Zeus sleeps"))
    assert classes(truth, "Live") == {"added": "edited", "removed": "edited"}


def test_a_piece_of_a_sentence_before_an_abbreviation_is_no_sentence() -> None:
    old = side("Geschenke sind zulässig nach Art. 6 der Satzung von Olymp")
    new = side("Geschenke sind zulässig nach Art. 7 der Verfassung von Olymp")
    assert classes(Truth(old, new), "zulässig") == {"added": "edited", "removed": "edited"}


def test_a_sentence_ends_at_a_point_after_a_word() -> None:
    old = side("Zeus wakes the gods. Hera sleeps")
    new = side("Zeus wakes the gods. Hera waits")
    assert classes(Truth(old, new), "wakes") == {"added": "unchanged", "removed": "unchanged"}


def test_a_sentence_with_other_numbers_is_cosmetic() -> None:
    truth = Truth(side("Zeus has 12 children"), side("Zeus has 13 children"))
    assert classes(truth, "Zeus") == {"added": "cosmetic", "removed": "cosmetic"}


def test_two_words_of_two_new_items_are_not_due_together() -> None:
    new = side("Argus watches\nIo grazes", c="Argus watches", d="Io grazes here")
    truth = Truth(side("Nobody"), new)
    name = "and of two items"
    assert truth.both("Argus", "grazes", "added") == [Question("Argus grazes", "added", name)]


def test_two_words_of_one_new_item_are_due_together() -> None:
    truth = Truth(side("Nobody"), side("Argus watches Io", c="Argus watches Io"))
    name = "two words of one item"
    assert truth.both("Argus", "Io", "added") == [Question("Argus Io", "added", name)]


def test_a_keyword_that_no_reader_shows_is_not_asked_about() -> None:
    truth = Truth(side("Nobody"), side("Nobody else", c="Argus watches"))
    assert not list(truth.questions("Argus"))


def test_a_keyword_of_an_edited_item_that_no_reader_shows_is_not_asked_about() -> None:
    old, new = side("Olymp", a="Zeus"), side("Olymp", a="Zeus /argus")
    assert classes(Truth(old, new), "argus") == {}
