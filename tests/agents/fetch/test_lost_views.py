"""A page that has nothing of its view, or is a login page, is lost: no failure and no change."""

from dataclasses import dataclass, replace
from itertools import count
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document
from schemas.records.fetches import Due
from schemas.records.losses import LossNotice, SelectionLost
from schemas.records.subscriptions import Options
from schemas.records.views import ViewOptions
from streams.agents.fetch.publishing import publish_records
from streams.agents.fetch.visit import visit
from tests.fakes.fuses import Crash, Fuse
from tests.fakes.regions import sentences
from tests.fakes.snapshots import stored_under
from tests.fakes.views import views_of
from tests.fakes.visiting import MINUTE, URL
from tests.fakes.world import Scene

(ASKED,) = views_of(Options(view=ViewOptions(credentials="news")))
PRIVATE = replace(ASKED, notices=(1,))
FORM = b"zeus <form><input name=p TYPE = 'password'></form>"
NOTHING = "nothing on the page matches view.select"
HERE = "a login page instead of the page"
SET = "(vokter credentials set news)"


@dataclass
class Visits:
    """Visits of a page with credentials, one slot after another, each by a worker of its own."""

    scene: Scene
    slot: int = 0

    async def answered(self, body: bytes, url: str = URL, status: int = 200) -> list[str]:
        """Return what is published after an answer."""
        self.slot += 1
        before = len(self.scene.published)
        etag = f"{body!r} {url}"
        self.scene.web.pages[URL] = Response(status, body, "text/plain", etag, url=url)
        due = Due(URL, "w", self.slot * MINUTE, (PRIVATE,), interval=60)
        await visit(self.scene.effects(), due, None)
        return [type(fact).__name__ for fact in self.scene.facts[before:]]

    @property
    def stored(self) -> Document:
        return self.scene.store.documents[stored_under(URL, PRIVATE.id)]

    @property
    def last(self) -> Any:
        return self.scene.facts[-1]


async def test_what_three_visits_do_not_find_is_lost_once_and_is_no_failure() -> None:
    visits = Visits(Scene(max_failures=2))
    assert await visits.answered(b"zeus") == []
    at = visits.scene.now
    assert await visits.answered(b"nothing 1") == []
    assert (visits.stored.missing, visits.stored.lost) == (NOTHING, "")
    assert await visits.answered(b"nothing 2") == []
    assert await visits.answered(b"nothing 3") == ["SelectionLost"]
    assert (visits.last.reason, visits.last.view) == (NOTHING, PRIVATE.id)
    for number in range(10):
        assert await visits.answered(b"nothing %d" % number) == []
    known = visits.stored
    assert (known.text, known.failures, known.last_error) == ("zeus", 0, None)
    assert (known.lost, known.missing_since) == ("selection", at)
    assert await visits.answered(b"zeus") == ["SelectionFound"]
    assert (visits.stored.missing, visits.stored.lost, visits.stored.missing_since) == (None, "", 0)
    assert await visits.answered(b"zeus and argus") == ["DocumentChanged"]


async def test_what_is_found_again_is_compared_with_the_last_text() -> None:
    visits = Visits(Scene())
    for body in (b"zeus", b"nothing", b"nothing", b"nothing"):
        await visits.answered(body)
    assert await visits.answered(b"hera") == ["SelectionFound", "DocumentChanged"]
    assert changes_of(visits.scene) == [("zeus", "hera")]


async def test_what_two_visits_do_not_find_is_not_lost() -> None:
    visits = Visits(Scene())
    for body in (b"zeus", b"nothing", b"nothing", b"zeus", b"nothing", b"nothing", b"zeus"):
        assert await visits.answered(body) == []


async def test_a_page_without_the_selection_that_is_unchanged_counts_and_is_not_read_again() -> (
    None
):
    visits = Visits(Scene())
    await visits.answered(b"zeus")
    await visits.answered(b"nothing")
    assert await visits.answered(b"nothing") == []
    assert visits.scene.web.requests[-1][1] is not None
    assert await visits.answered(b"nothing") == ["SelectionLost"]
    before = visits.stored
    assert await visits.answered(b"nothing") == []
    assert visits.stored is before, "what is lost as before costs no write"
    assert await visits.answered(b"zeus") == ["SelectionFound"]


async def test_a_selection_that_was_never_found_is_lost_and_then_begins() -> None:
    visits = Visits(Scene(max_failures=1))
    published = [await visits.answered(b"nothing") for _ in range(4)]
    assert published == [[], [], ["SelectionLost"], []]
    assert visits.stored.text is None
    assert await visits.answered(b"zeus") == ["SelectionFound"]
    assert visits.stored.text == "zeus"


async def test_a_failure_in_between_counts_for_itself() -> None:
    visits = Visits(Scene(max_failures=3))
    for body in (b"zeus", b"nothing", b"nothing"):
        await visits.answered(body)
    assert await visits.answered(b"", status=500) == ["DocumentFailing"]
    assert visits.stored.failures == 1
    assert await visits.answered(b"nothing") == ["DocumentRecovered", "SelectionLost"]
    assert await visits.answered(b"", status=500) == ["DocumentFailing"]
    assert await visits.answered(b"zeus") == ["DocumentRecovered", "SelectionFound"]


async def test_an_empty_page_has_nothing_that_is_removed() -> None:
    visits = Visits(Scene())
    await visits.answered(b"zeus")
    await visits.answered(b"")
    assert visits.stored.held
    await visits.answered(b"nothing")
    assert not visits.stored.held
    assert await visits.answered(b"") == []


async def test_a_redirect_to_a_login_page_is_lost_at_once_and_hides_the_query() -> None:
    visits = Visits(Scene(max_failures=1))
    await visits.answered(b"zeus")
    there = "http://d.test/users/sign_in?t=hush"
    assert await visits.answered(b"hello", there) == ["LoginLost"]
    assert visits.last.reason == f"{HERE}: redirected to http://d.test/users/sign_in {SET}"
    before = visits.stored
    assert (before.text, before.failures, before.lost) == ("zeus", 0, "login")
    assert await visits.answered(b"hello", there) == []
    assert visits.stored is before, "what is lost as before costs no write"
    assert await visits.answered(b"hera") == ["LoginFound", "DocumentChanged"]


async def test_a_page_that_lost_its_login_is_left_out_at_no_slot() -> None:
    scene, cached = Scene(), None
    scene.now = 1_800_000_000_000
    for slot, body in enumerate((b"zeus", FORM, b"zeus and argus")):
        scene.web.pages[URL] = Response(200, body, "text/plain", url=URL)
        at = scene.now + slot * 86_400_000
        for minutes in (0, 1) if body == FORM else (0,):
            due = Due(URL, "w", at + minutes * MINUTE, (PRIVATE,), interval=60, max_interval=86_400)
            cached, _ = await visit(scene.effects(), due, cached)
    kinds = [type(fact).__name__ for fact in scene.facts]
    assert (kinds, len(scene.web.requests)) == (["LoginLost", "LoginFound", "DocumentChanged"], 4)


async def test_a_field_for_a_password_where_there_was_none_is_a_login_page() -> None:
    visits = Visits(Scene())
    await visits.answered(b"zeus")
    assert await visits.answered(FORM) == ["LoginLost"]
    assert visits.last.reason == f"{HERE}: it asks for a password {SET}"
    assert await visits.answered(FORM) == []
    assert await visits.answered(b"zeus") == ["LoginFound"]
    assert await visits.answered(b"zeus and argus") == ["DocumentChanged"]


async def test_a_page_that_always_had_such_a_field_is_read() -> None:
    visits = Visits(Scene())
    assert await visits.answered(FORM) == []
    assert await visits.answered(FORM + b" argus") == ["DocumentChanged"]


async def test_what_is_lost_for_another_reason_says_so_and_is_found_once() -> None:
    visits = Visits(Scene())
    await visits.answered(b"zeus")
    assert await visits.answered(FORM) == ["LoginLost"]
    published = [await visits.answered(b"nothing") for _ in range(4)]
    assert published == [[], [], ["SelectionLost"], []]
    assert await visits.answered(FORM) == ["LoginLost"]
    assert await visits.answered(b"zeus") == ["LoginFound"]


async def test_a_watch_that_begins_knows_nothing_of_what_was_lost() -> None:
    visits = Visits(Scene())
    for _ in range(3):
        await visits.answered(b"nothing")
    visits.scene.web.pages[URL] = Response(200, b"zeus", "text/plain")
    due = Due(URL, "another", (visits.slot + 10) * MINUTE, (PRIVATE,), interval=60)
    await visit(visits.scene.effects(), due, None)
    assert (visits.stored.lost, visits.stored.misses) == ("", 0)
    assert isinstance(visits.last, SelectionLost)


def changes_of(scene: Scene) -> list[tuple[str, str]]:
    changed = [fact for fact in scene.facts if isinstance(fact, DocumentChanged)]
    return [sentences(region) for fact in changed for region in fact.regions]


async def test_after_a_crash_at_any_step_each_loss_is_still_one_fact() -> None:
    bodies = [b"zeus", b"nothing", b"nothing", b"nothing", FORM, FORM, b"hera"]
    for at in count():
        scene = Scene()
        fuse = Fuse(iter([at]))
        visits = Visits(scene)
        scene.step = scene.store.step = fuse.step
        for body in bodies:
            slot = visits.slot
            try:
                await visits.answered(body)
            except Crash:
                for left in await scene.store.unpublished():
                    await publish_records(scene.effects(), left)
                visits.slot = slot
                await visits.answered(body)
        names = [type(fact).__name__ for fact in {fact.id: fact for fact in scene.facts}.values()]
        assert names == ["SelectionLost", "LoginLost", "LoginFound", "DocumentChanged"]
        if not fuse.blown:
            break


ANSWERS: dict[str, tuple[bytes, str, int]] = {
    "zeus": (b"zeus", URL, 200),
    "hera": (b"hera", URL, 200),
    "missing": (b"nothing", URL, 200),
    "missing too": (b"nothing else", URL, 200),
    "form": (FORM, URL, 200),
    "redirect": (b"hello", "http://d.test/login", 200),
    "error": (b"", URL, 500),
}


FOUND = {"selection": ["SelectionFound"], "login": ["LoginFound"], "": []}
LOSSES = {kind.__name__ for kind in get_args(LossNotice)}


@given(st.lists(st.sampled_from(sorted(ANSWERS)), max_size=12))
async def test_each_loss_is_published_once_and_ends_with_what_is_found(names: list[str]) -> None:
    visits = Visits(Scene(max_failures=100))
    lost, misses, text = "", 0, None
    for name in ["zeus", *names]:
        body, url, status = ANSWERS[name]
        published = await visits.answered(body, url, status)
        losses = [each for each in published if each in LOSSES]
        if name in {"zeus", "hera"}:
            assert losses == FOUND[lost]
            assert ("DocumentChanged" in published) == (text not in {None, name})
            lost, misses, text = "", 0, name
        elif name.startswith("missing"):
            misses += 1
            is_new = misses >= 3 and lost != "selection"
            assert losses == (["SelectionLost"] if is_new else [])
            lost = "selection" if misses >= 3 else lost
        elif name != "error":
            assert losses == ([] if lost == "login" else ["LoginLost"])
            lost, misses = "login", 0
        assert name in {"zeus", "hera"} or "DocumentChanged" not in published
        known = visits.stored
        assert (known.lost, known.text) == (lost, text)
        assert (known.failures > 0) == (name == "error")
        assert bool(known.missing) == (bool(lost) or misses > 0)
