"""What is due is split by who reads it."""

from schemas.records.fetches import Due
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering
from schemas.records.views import View, WatchedView
from streams.agents.ticker.commands import by_agent, has_rendered

PLAIN = WatchedView("p")
RENDERED = WatchedView("r", View(request=PageRequest(rendering=Rendering())))


def due(*views: WatchedView) -> Due:
    return Due("http://d.test/", "w", 5, views)


def test_views_that_need_no_browser_are_due_as_they_are() -> None:
    assert by_agent(due(PLAIN)) == (due(PLAIN), None)
    assert not has_rendered((PLAIN,))


def test_each_agent_gets_its_views_and_the_ids_of_the_others() -> None:
    plain, rendered = by_agent(due(PLAIN, RENDERED))
    assert plain is not None
    assert rendered is not None
    assert (plain.views, plain.elsewhere) == ((PLAIN,), ("r",))
    assert (rendered.views, rendered.elsewhere) == ((RENDERED,), ("p",))


def test_a_document_that_is_only_rendered_is_not_fetched() -> None:
    plain, rendered = by_agent(due(RENDERED))
    assert plain is None
    assert rendered == due(RENDERED)
