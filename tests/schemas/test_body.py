import json

import pytest

from schemas.body import MAX_BODY, body, fitting
from schemas.changes import Diff
from schemas.notifications import Notification
from schemas.subscriptions import Receiver


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
        '{"status": "ok", "url": "http://example.com", "diffs": [{"event": "added", '
        '"keyword": "argus", "text": "a \\"Ärgus\\"", "snippet": "... a"}]}'
    )


def test_a_timeout_has_no_diffs() -> None:
    assert json.loads(body(notification("timeout"))) == {
        "status": "timeout",
        "url": "http://example.com",
        "diffs": [],
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
    assert len(body(notification("ok", *many[: len(taken) + 1]))) > MAX_BODY


@pytest.mark.parametrize("character", ["\x01", '"', "é", "漢", "😀", "a"])
def test_what_is_taken_without_counting_fits_whatever_its_characters_take(character: str) -> None:
    many = [Diff("added", "a", character * 20_000, str(n)) for n in range(20)]
    for count in range(1, 20):
        taken, truncated = fitting("http://example.com", many[:count])
        whole = len(body(notification("ok", *many[:count])))
        assert truncated == (whole > MAX_BODY)
        assert len(body(notification("ok", *taken))) <= MAX_BODY
