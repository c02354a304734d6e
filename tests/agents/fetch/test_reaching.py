"""Our own faults are no failures of a page: they are put off, and counted for nobody."""

import asyncio

import pytest

from schemas.records.answers import FailureKind, PageQuery, Response
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.postponed import Postponed, postponing_get
from tests.agents.fetch.test_fetch import A, B, command
from tests.fakes.events import event, no_rows
from tests.fakes.world import FetchFailed, Scene
from tests.harness.virtual_time import in_virtual_time


def kind_of(error: Exception) -> FailureKind:
    return "ours" if "room" in str(error) else "no_lookup"


async def test_only_an_error_that_our_own_connection_may_have_caused_is_postponed() -> None:
    answers: list[Response | Exception] = [
        FetchFailed("no room"),
        FetchFailed("host name look-up failed"),
        Response(200),
        FetchFailed("host name look-up failed"),
    ]

    async def get(_: PageQuery) -> Response:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    wrapped = postponing_get(get, kind_of)
    with pytest.raises(Postponed, match="no room"):
        await wrapped(PageQuery(A))
    with pytest.raises(Postponed, match="our own connection may be down"):
        await wrapped(PageQuery(A))
    assert (await wrapped(PageQuery(B))).status == 200
    with pytest.raises(FetchFailed):
        await wrapped(PageQuery(A))


def agent(scene: Scene) -> FetchProcessor:
    scene.read_in_threads = False
    scene.get = postponing_get(scene.web.get, kind_of)
    return FetchProcessor(scene.effects(), lambda _: 0)


def test_ten_failed_look_ups_count_for_no_page_and_it_is_read_when_names_are_found_again() -> None:
    scene = Scene(max_failures=10)
    fetch = agent(scene)

    async def run() -> None:
        for url in (A, B):
            scene.web.pages[url] = FetchFailed("host name look-up failed")
        for slot in range(1, 12):
            await fetch.handle(event(command(A, B, slot=slot)), no_rows)
            await asyncio.sleep(60)
        assert (scene.published, scene.store.documents) == ([], {})
        for url in (A, B):
            scene.web.put(url, "zeus")
        await asyncio.sleep(400)

    in_virtual_time(run())
    assert {url: document.failures for url, document in scene.store.documents.items()} == {
        A: 0,
        B: 0,
    }
    assert {document.text for document in scene.store.documents.values()} == {"zeus"}


def test_a_name_that_is_not_found_while_others_are_is_the_pages_failure() -> None:
    scene = Scene(max_failures=10)
    fetch = agent(scene)

    async def run() -> None:
        scene.web.pages[A] = FetchFailed("host name look-up failed")
        for slot in range(1, 4):
            scene.web.put(B, f"zeus {slot}")
            await fetch.handle(event(command(A, B, slot=slot)), no_rows)
            await asyncio.sleep(60)

    in_virtual_time(run())
    assert scene.store.documents[A].failures >= 2


def test_a_page_for_which_this_process_has_no_room_has_not_failed() -> None:
    scene = Scene(max_failures=1)
    fetch = agent(scene)

    async def run() -> None:
        scene.web.put(B, "zeus")
        scene.web.pages[A] = FetchFailed("no room")
        await fetch.handle(event(command(A, B)), no_rows)
        scene.web.pages[A] = Response(200, b"zeus", "text/plain")
        await asyncio.sleep(10)

    in_virtual_time(run())
    assert scene.store.documents[A].text == "zeus"
