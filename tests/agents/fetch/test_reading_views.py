"""A page is read in all views of a visit at once, and a view that is too hard fails alone."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest
from selectolax.lexbor import LexborNode

from connectors.readers import html_views
from connectors.readers.html import parsed_html
from connectors.readers.reading import read_with_plugins
from schemas.records.answers import Response
from schemas.records.fetches import Due
from schemas.records.subscriptions import Options
from schemas.records.views import Selector, ViewOptions
from streams.agents.fetch import reading_views
from streams.agents.fetch import visit as visits
from streams.agents.fetch.cache import CachedState
from streams.agents.fetch.examining import Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.visit import visit
from streams.agents.match.register.watch_uses import ViewUses
from streams.values.views import view_id, view_of
from tests.fakes.subscriptions import subscription
from tests.fakes.views import views
from tests.fakes.visiting import MINUTE, URL
from tests.fakes.world import FetchFailed, Outcomes, Scene


@dataclass
class Reader:
    """Visits a page in many views; reading takes time, and a hard view among them ends it."""

    hard: frozenset[str] = frozenset()
    takes_ms: int = 0
    kinds: tuple[str, ...] = tuple(f"text/{number:02}" for number in range(64))
    scene: Scene = field(default_factory=Scene)
    calls: list[int] = field(default_factory=list)
    """In how many views the page was read by each call."""
    cached: Sequence[CachedState] | None = None

    def __post_init__(self) -> None:
        self.scene.read_in_threads = False
        self.effects = self.scene.effects()
        object.__setattr__(self.effects, "examine", self._examine)

    async def see(self, slot: int, text: str) -> dict[str, int]:
        """Visit the page, and return the failures of each view that was settled at this slot."""
        self.calls.clear()
        self.scene.web.put(URL, text)
        due = Due(URL, "w", slot * MINUTE, views(*self.kinds))
        self.cached, _ = await visit(self.effects, due, self.cached)
        kinds = {each.id: each.view.content_type or "" for each in due.views}
        states = [each for each in self.cached or () if each.slot == due.slot]
        return {kinds[each.view]: each.failures for each in states}

    async def _examine(self, works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        self.calls.append(len(works))
        self.scene.now += self.takes_ms
        if any(due.view.content_type in self.hard for _, due in works):
            raise FetchFailed("the page took longer than 5 s to read")
        return await self.scene._examine(works, fetched)


async def test_the_page_of_64_views_is_read_in_one_call() -> None:
    reader = Reader()
    for slot, text in enumerate(("zeus", "hera"), 1):
        assert await reader.see(slot, text) == dict.fromkeys(reader.kinds, 0)
        assert reader.calls == [64]
    assert len(reader.scene.facts) == 64


@pytest.mark.parametrize("hard", [{"text/00"}, {"text/63"}, {"text/00", "text/17", "text/18"}])
async def test_views_that_are_too_hard_fail_alone_and_are_read_apart_from_then_on(
    hard: set[str],
) -> None:
    reader = Reader(frozenset(hard))
    expected = {kind: int(kind in hard) for kind in reader.kinds}
    assert await reader.see(1, "zeus") == expected
    assert reader.calls[0] == 64
    assert len(reader.calls) <= 1 + 8 + 8 * len(hard)
    again = {kind: failures * 2 for kind, failures in expected.items()}
    assert await reader.see(2, "hera") == again
    assert reader.calls == [64 - len(hard), *[1] * len(hard)]


async def test_when_no_time_is_left_views_wait_but_something_comes_of_each_visit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(visits, "READING_MS", 30)
    hard = {f"text/{number:02}" for number in range(0, 64, 8)}
    reader = Reader(frozenset(hard), takes_ms=20)
    settled: dict[str, int] = {}
    slots = deque(range(1, 65))
    while len(settled) < 64 and slots:
        found = await reader.see(slot := slots.popleft(), f"zeus {slot}")
        assert found, "nothing came of a visit"
        assert len(reader.calls) <= 5
        settled |= found
    assert {kind for kind, failures in settled.items() if failures} == hard
    assert settled.keys() == set(reader.kinds)


async def test_no_more_texts_than_so_many_characters_are_compared_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading_views, "MAX_LOADED", 200)
    reader = Reader()
    await reader.see(1, "z" * 50)
    assert reader.calls == [64], "nothing is stored yet"
    assert await reader.see(2, "h" * 500) == dict.fromkeys(reader.kinds, 0)
    assert reader.calls == [4] * 16
    await reader.see(3, "zeus")
    assert reader.calls == [1] * 64


async def test_1000_subscriptions_with_20_reading_parts_cost_one_parse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    uses = ViewUses()
    for number in range(1_000):
        selector = Selector(css=f"p:nth-of-type({number % 20 + 1})")
        options = Options(view=ViewOptions(select=(selector,)))
        view = view_id(view_of(options, "default"))
        uses.count(subscription(str(number), options=options, view_id=view), 1)
    parses: list[str] = []

    def counted(markup: str) -> LexborNode | None:
        parses.append(markup)
        return parsed_html(markup)

    monkeypatch.setattr(html_views, "parsed_html", counted)
    scene = Scene()
    effects = scene.effects()

    async def examined(works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        return examine(partial(read_with_plugins, "nowhere"), works, fetched)

    object.__setattr__(effects, "examine", examined)
    page = "".join(f"<p>part {number}</p>" for number in range(20))
    scene.web.pages[URL] = Response(200, page.encode(), "text/html")
    await visit(effects, Due(URL, "w", MINUTE, uses.in_use()), None)
    assert (len(parses), len(scene.web.requests)) == (1, 1)
    texts = {document.text for document in scene.store.documents.values()}
    assert texts == {f"part {number}" for number in range(20)}
