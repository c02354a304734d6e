"""What waits to stand costs little, whoever else watches the page, and is listed as it is."""

from dataclasses import replace

from schemas.records.changes import DocumentChanged, Texts
from schemas.records.requests import Cancel
from schemas.records.subscription_facts import Rejected, Subscribed
from streams.agents.match.patience.memory import WAITING
from streams.agents.match.register.counts import MAX_ROWS
from tests.agents.match.test_patience import (
    BEGUN,
    OPEN,
    PATIENT,
    PLAIN,
    SOLD,
    URL,
    Page,
    notified,
    stated,
)
from tests.fakes.events import event
from tests.fakes.variants import varied

LONG = Texts("x" * 400_000, "y" * 400_000)
DAY = varied(PATIENT, patience=86_400, patience_visits=None)


def test_the_whole_texts_that_others_asked_for_take_no_room_of_what_waits() -> None:
    page = Page(varied(PLAIN, scope="document"), PATIENT)
    changed, seen = page.events(SOLD)
    assert isinstance(changed.fact, DocumentChanged)
    sent = page.handle(event(replace(changed.fact, texts=LONG), topic="changes"))
    assert "patient" not in notified(sent)
    page.handle(seen)
    assert notified(page.visit(SOLD)) == ["patient"]


def test_who_waits_for_words_of_the_whole_document_is_notified_of_them() -> None:
    page = Page(varied(PATIENT, scope="document", keywords=("sold & hera",)))
    changed, seen = page.events(SOLD)
    assert isinstance(changed.fact, DocumentChanged)
    texts = Texts("hera", "hera. Tickets are sold out.")
    page.handle(event(replace(changed.fact, texts=texts), topic="changes"))
    page.handle(seen)
    assert notified(page.visit(SOLD)) == ["patient"]


def test_visits_of_what_waits_for_a_time_alone_are_seldom_written() -> None:
    page = Page(DAY)
    page.visit(SOLD)
    written = 0
    for _ in range(1000):
        before = dict(page.rows)
        page.visit(SOLD)
        written += page.rows != before
    assert written < 12
    page.start()
    page.slot = 90_000
    (found,) = (each for each in page.visit(SOLD) if notified([each]))
    assert 512 <= found.stood.visits <= 1002


def test_what_nobody_waits_for_is_listed_no_longer() -> None:
    page = Page(PLAIN, PATIENT)
    (waits,) = stated(page.visit(SOLD))
    page.ask(Cancel(URL, PATIENT.receiver, "2"))
    (over,) = stated(page.visit(OPEN))
    assert (over.id, over.changes, over.since) == (waits.id, 0, 0)
    assert not any(key.startswith(WAITING) for key in page.rows)
    assert over.at == BEGUN + 2000


def test_a_visit_of_another_watch_states_what_waits_no_longer() -> None:
    page = Page(DAY)
    for _ in range(3):
        page.visit(SOLD)
    page.watch = "another"
    (over,) = stated(page.visit(SOLD))
    assert (over.changes, over.dropped) == (0, 2)
    page.start()
    assert not page.agent.sizes()["waiting_changes"]


def test_what_waits_at_one_page_is_bounded_whoever_asks_for_it() -> None:
    page = Page(PATIENT)
    asked = [
        varied(PATIENT, session=str(n), manager=f"m{n}", patience=60 + n, patience_visits=None)
        for n in range(MAX_ROWS)
    ]
    *granted, refused = (page.ask(each) for each in asked)
    assert all(isinstance(each, Subscribed) for each in granted)
    assert isinstance(refused, Rejected)
    assert f"{MAX_ROWS} of all managers" in refused.detail
    same = varied(PATIENT, session="same", manager="another")
    assert isinstance(page.ask(same), Subscribed), "what others wait for takes no more room"
