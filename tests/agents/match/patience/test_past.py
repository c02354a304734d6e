"""What of kept changes stood is what stood when they were new."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import DocumentChanged
from schemas.records.table_rows import Waiting, WaitingChange
from schemas.records.waiting import DocumentVisited
from streams.agents.match.patience.memory import Patience
from streams.agents.match.patience.waiting import (
    PastVisits,
    after_visit,
    take_in,
    what_stood,
    with_change,
)
from streams.diff.regions import changed_regions
from streams.values.steps import Steps, completed

URL, INTERVAL = "http://document.test/", 60_000
TEXTS = st.lists(
    st.sampled_from(["Zeus.", "Zeus.\n\nHera sings.", "Zeus.\n\nHera sings.\n\nIo runs."]),
    min_size=1,
    max_size=12,
)


def concerns_all(_: DocumentChanged) -> Steps[bool]:
    yield
    return True


@given(TEXTS, st.sampled_from([Patience(0, 2), Patience(0, 4), Patience(150, 0), Patience(90, 3)]))
def test_what_stood_is_found_again_without_the_visits(texts: list[str], patience: Patience) -> None:
    waiting, live, changes, before = Waiting(), list[WaitingChange](), [], "Zeus."
    for number, text in enumerate(texts, 1):
        at = number * INTERVAL
        regions, before = changed_regions(before, text), text
        if regions:
            change = DocumentChanged(f"c{number}", URL, "w", at, 0, "text/html", "en", regions, at)
            changes.append(change)
            waiting, new = take_in(waiting, change)
            if new is not None:
                waiting, _ = with_change(waiting, new)
        visit = DocumentVisited(f"v{number}", URL, "w", at, at)
        waiting, standing = after_visit(waiting, visit, patience)
        live += standing
    visits = PastVisits(INTERVAL // 1000, (len(texts) + 1) * INTERVAL)
    found, left = completed(what_stood(changes, patience, visits, concerns_all))
    assert found == live
    assert (left.dropped, left.changes) == (waiting.dropped, waiting.changes)
