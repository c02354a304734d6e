"""A page that another version of its reader reads: only what the page changed is a change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from schemas.records.answers import Response
from tests.fakes.upgraded import Upgraded
from tests.fakes.visiting import URL, Worker, changes, stored
from tests.harness.examples import examples

LARGE = 1_000_000


async def test_the_same_page_is_read_again_by_a_new_version_and_notifies_nobody() -> None:
    scene = Upgraded()
    worker = Worker(scene)
    scene.web.put(URL, "zeus", etag='"1"')
    await worker.visit(1)
    scene.version = 2
    await worker.visit(2)
    assert scene.published == []
    assert (stored(scene).text, stored(scene).reader) == ("zeus\n\nread by 2", "plain 2")
    assert [etag for _, etag, _ in scene.web.requests] == [None, None], "asked for its bytes"
    await worker.visit(3)
    assert scene.web.requests[-1] == (URL, '"1"', None), "once"
    await worker.see(4, "hera")
    assert changes(scene) == [("zeus", "hera")]


async def test_what_a_page_changed_meanwhile_is_notified_if_its_body_was_kept() -> None:
    scene = Upgraded(keep_bodies=LARGE)
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.version = 2
    await worker.see(2, "hera")
    assert changes(scene) == [("zeus", "hera")]


async def test_without_a_body_nobody_is_notified_and_the_log_says_what_is_not_compared() -> None:
    scene = Upgraded()
    worker = Worker(scene)
    await worker.see(1, "zeus")
    scene.version = 2
    with capture_logs() as logs:
        await worker.see(2, "hera")
    assert scene.published == []
    (logged,) = [each for each in logs if each["log_level"] == "warning"]
    assert (logged["before"], logged["now"]) == ("plain 1", "plain 2")
    await worker.see(3, "ares")
    assert changes(scene) == [("hera", "ares")]


async def test_a_page_that_is_nearly_empty_at_that_visit_is_not_believed_either() -> None:
    scene = Upgraded()
    worker = Worker(scene)
    await worker.see(1, "zeus " * 200)
    scene.version = 2
    await worker.answered(2, Response(200, b"", "text/plain"))
    assert stored(scene).held
    await worker.see(3, "zeus " * 200)
    assert scene.published == []


async def test_a_body_that_is_too_large_is_not_kept() -> None:
    scene = Upgraded(keep_bodies=40)
    await Worker(scene).see(1, "".join(map(chr, range(33, 120))))
    assert stored(scene).body is None


async def test_the_body_of_a_snapshot_is_the_first_with_its_text() -> None:
    scene = Upgraded(keep_bodies=LARGE)
    worker = Worker(scene)
    await worker.answered(1, Response(200, b"zeus", "text/plain"))
    first = stored(scene).body
    await worker.answered(2, Response(200, b"zeus", "text/plain; charset=utf-8"))
    await worker.answered(3, Response(404))
    assert first is not None
    assert stored(scene).body == first


@pytest.mark.parametrize("keep_bodies", [0, LARGE])
@examples(30)
@given(
    visits=st.lists(
        st.tuples(st.sampled_from(["zeus", "hera", "ares"]), st.integers(1, 3)), max_size=6
    ),
)
async def test_no_reader_is_ever_a_change(keep_bodies: int, visits: list[tuple[str, int]]) -> None:
    scene = Upgraded(keep_bodies)
    worker, expected = Worker(scene), []
    before, earlier_version = None, 1
    for slot, (text, version) in enumerate(visits, 1):
        scene.version = version
        await worker.see(slot, text)
        if before not in (None, text) and (keep_bodies or version == earlier_version):
            expected.append((before, text))
        before, earlier_version = text, version
    assert changes(scene) == expected
