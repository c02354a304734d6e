import json
from dataclasses import replace

import pytest

from schemas.codec.body import MAX_BODY, body, diff_json, fitting
from schemas.records.changes import Diff, Marked, Marks, Returned, Span, ValueChange
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver

ENDS = 8_700
"""Bytes that are kept free for what else is in a body."""


def notification(status: str, *diffs: Diff) -> Notification:
    return Notification(
        id="n",
        change="c",
        subscription="s",
        manager="default",
        receiver=Receiver("http://client.example/"),
        status=status,
        url="http://example.com",
        content_type="text/html",
        diffs=diffs,
        truncated=False,
        at=0,
        rotation=0,
        rotated=0,
        watch="w",
        test=False,
    )


def test_a_body_has_exactly_the_promised_fields() -> None:
    diff = Diff("added", "argus", 'a "Ärgus"', "... a")
    assert body(notification("ok", diff)).decode() == (
        '{"status":"ok","url":"http://example.com","diffs":[{"event":"added",'
        '"keyword":"argus","text":"a \\"Ärgus\\"","snippet":"... a","change":"added"}],'
        '"at":"1970-01-01T00:00:00.000Z","subscription":"s"}'
    )


def test_a_body_names_the_page_and_says_if_its_text_is_one_that_it_had_before() -> None:
    returned = Returned(since=1_000, times=3)
    more = replace(notification("ok"), title="Giants", returned=returned, picture_change=0)
    more = replace(more, name="In stock")
    assert json.loads(body(more)) == {
        "status": "ok",
        "url": "http://example.com",
        "diffs": [],
        "name": "In stock",
        "title": "Giants",
        "at": "1970-01-01T00:00:00.000Z",
        "subscription": "s",
        "returned": {"since": "1970-01-01T00:00:01.000Z", "times": 3},
        "pictureChange": 0.0,
    }


def test_an_entry_has_all_that_is_known_of_it() -> None:
    marked = Marked((Span(0, 2),), (Span(3, 5),))
    diff = Diff(
        "added",
        "a",
        "it is a",
        "it is a ...",
        change="edited",
        before="it was a",
        after="it is a",
        marks=Marks(marked, Marked(keyword=(Span(6, 7),))),
        headings=("One", "Two"),
        values=(ValueChange("1", "2"),),
        link="http://example.com/#:~:text=it",
        noise="numbers",
    )
    assert diff_json(diff) == {
        "event": "added",
        "keyword": "a",
        "text": "it is a",
        "snippet": "it is a ...",
        "change": "edited",
        "before": "it was a",
        "after": "it is a",
        "offsets": {
            "text": {"changed": [[0, 2]], "keyword": [[3, 5]]},
            "snippet": {"keyword": [[6, 7]]},
        },
        "headings": ["One", "Two"],
        "values": [{"before": "1", "after": "2"}],
        "link": "http://example.com/#:~:text=it",
        "noise": "numbers",
    }


def test_a_timeout_has_no_diffs() -> None:
    assert json.loads(body(notification("timeout"))) == {
        "status": "timeout",
        "url": "http://example.com",
        "diffs": [],
        "at": "1970-01-01T00:00:00.000Z",
        "subscription": "s",
    }


def test_all_diffs_that_fit_are_taken() -> None:
    diffs = (Diff("added", "a", "é", "é"), Diff("removed", "a", "b", "b"))
    assert fitting("http://example.com", diffs) == (diffs, False)


def test_diffs_are_left_out_from_where_the_body_would_become_too_large() -> None:
    many = [Diff("added", "a", "é" * 4_000, str(n)) for n in range(100)]
    taken, truncated = fitting("http://example.com", many)
    assert truncated
    assert list(taken) == many[: len(taken)]
    assert len(body(notification("ok", *taken))) <= MAX_BODY
    assert len(body(notification("ok", *many[: len(taken) + 1]))) > MAX_BODY - ENDS


@pytest.mark.parametrize("character", ["\x01", '"', "é", "漢", "😀", "a"])
def test_what_is_taken_without_counting_fits_whatever_its_characters_take(character: str) -> None:
    many = [Diff("added", "a", character * 20_000, str(n)) for n in range(20)]
    for count in range(1, 20):
        taken, truncated = fitting("http://example.com", many[:count])
        whole = len(body(notification("ok", *many[:count])))
        assert truncated or whole <= MAX_BODY
        assert not truncated or whole > MAX_BODY - ENDS
        longest = replace(notification("ok", *taken), title=character * 300, name=character * 200)
        assert len(body(longest)) <= MAX_BODY
