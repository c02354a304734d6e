"""What ``vokter reprocess`` prints."""

from schemas.records.reprocessing import ReadAgain, Reprocessed
from streams.cli.jobs.reprocess import KEEP, ReprocessSummary, page_lines, result_json

AT = 1_800_000_000_000
SAME = ReadAgain(AT, "html 1", "html 1", "ab", was_change=True, is_change=True, is_compared=True,
                 same=("s1",))  # fmt: skip
OTHER = ReadAgain(AT, "html 1", "html 2", "ab", 2, "- Zeus\n+ Hera", was_change=True,
                  is_compared=True, removed=("s1", "s2"))  # fmt: skip


def result(*times: ReadAgain, outcome: str = "", unread: str = "") -> Reprocessed:
    return Reprocessed("run", "http://d.test/", "", times, outcome, unread)


def summary(*results: Reprocessed) -> list[str]:
    found = ReprocessSummary()
    for each in results:
        found.add(each)
    return [" ".join(line.split()) for line in found.lines()]


def test_a_summary_counts_pages_texts_changes_and_notifications() -> None:
    new = ReadAgain(AT, "html 1", "html 2", "ab", is_change=True, is_compared=True, added=("s1",))
    assert summary(result(SAME, OTHER), result(new, ReadAgain(AT, problem="empty"))) == [
        "pages 2, each in one view",
        "snapshots 2 as before, 1 otherwise, 1 cannot be read",
        "changes 1 as before, 1 new, 1 none any more",
        "notifications 1 as before, 1 new, 2 none any more",
    ]


def test_a_summary_says_what_was_not_read_and_what_was_replaced() -> None:
    lines = summary(
        result(ReadAgain(AT, "html 1"), outcome="replaced"), result(outcome="x", unread="late")
    )
    assert lines[2] == f"1 not read: {KEEP}"
    assert lines[-3:] == [
        "newest text 1: replaced",
        "newest text 1: x",
        "1 pages took too long: --since reads less of them",
    ]


def test_a_line_of_json_has_names_as_rest_does_and_null_for_what_is_not_known() -> None:
    found = result_json(result(OTHER, ReadAgain(AT, "html 1", was_change=True), outcome="x"))
    assert {key: found[key] for key in ("url", "view", "outcome", "unread")} == {
        "url": "http://d.test/", "view": "", "outcome": "x", "unread": None
    }  # fmt: skip
    other, unread = found["times"]
    assert (other["at"], other["readerNow"]) == ("2027-01-15T08:00:00.000Z", "html 2")
    assert (other["wasChange"], other["isChange"], other["removed"]) == (True, False, ("s1", "s2"))
    assert (unread["readerNow"], unread["bodySha256"], unread["isChange"]) == (None, None, None)


def test_the_differences_of_a_page_are_shown_and_nothing_of_one_without() -> None:
    assert list(page_lines(result(SAME))) == []
    assert list(page_lines(result(SAME, OTHER, unread="late"))) == [
        "http://d.test/",
        "  2027-01-15T08:00:00.000Z, html 1 -> html 2, sha256 ab",
        "    2 sentences or lines are read otherwise:",
        "    - Zeus",
        "    + Hera",
        "    would be no change",
        "    would not be notified: s1, s2",
        "  late",
    ]
