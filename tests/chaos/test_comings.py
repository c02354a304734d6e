"""The counts of a run of subscriptions that came and went."""

import json
from random import Random

import pytest

from tests.chaos.comings import Coming, Comings
from tests.harness.hooks import Hook, Hooks, Post
from tests.harness.lives import Life, Turn
from tests.harness.load import Watcher
from tests.harness.pages import Page

PAGE = Page("http://page.test/", "")
LIFE = [Turn(True, 10, 12), Turn(False, 20, 22), Turn(True, 30, 32), Turn(False, 40, 42)]
"""It is asked for, paused, resumed and cancelled; each request takes a while."""


def comings(*versions: int, name: str = "") -> Comings:
    """Return one subscription, and versions of which a subscription with a name was notified."""
    hook = Hook("http://hook.test/")
    for version in versions:
        diffs = [
            {"event": event, "keyword": keyword, "text": text, "snippet": text}
            for event, keyword, text in Watcher(PAGE, hook, "*").diffs(version)
        ]
        body = {"status": "ok", "url": PAGE.url, "diffs": diffs, "name": name}
        hook.posts.append(Post({"webhook-id": str(version)}, json.dumps(body).encode()))
    several = Comings(Random(1), [PAGE], Hooks())  # noqa: S311 - no secret
    several._all.append(Coming(PAGE, hook, Life(LIFE)))
    return several


@pytest.mark.parametrize(
    ("at", "is_due", "may_come"),
    [
        (9, False, False),
        (11, False, True),
        (15, True, True),
        (21, False, True),
        (25, False, False),
        (31, False, True),
        (35, True, True),
        (41, False, True),
        (50, False, False),
    ],
)
def test_what_was_seen_counts_by_the_requests_before_and_after_it(
    at: int, is_due: bool, may_come: bool
) -> None:
    seen = {(PAGE.url, 2): at, ("http://other.test/", 2): 15}
    without, notified, other = comings(), comings(2), comings(2, name="in stock")
    assert without.due(seen) == len(without.lost(seen)) == is_due
    assert not notified.lost(seen)
    assert len(other.lost(seen)) == is_due, "another subscription of the receiver was notified"
    assert not without.untimely(seen)
    assert len(notified.untimely(seen)) == (not may_come)
