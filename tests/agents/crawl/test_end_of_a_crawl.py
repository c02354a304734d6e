"""The end of a crawl of thousands of pages, among what others ask for."""

from schemas.codec import wire
from schemas.records.crawls import Coverage, CrawlOptions, PageSeen, Uncover
from schemas.records.requests import Cover
from schemas.records.subscription_facts import Cancelled
from schemas.records.subscriptions import Options
from schemas.records.table_rows import Crawl, CrawledPage
from streams.agents.crawl.agent import CrawlProcessor
from streams.agents.crawl.memory import crawl_key, page_key
from streams.engine.runners.long_outcomes import PART, LongOutcomes
from streams.values.outcome import Outcome
from tests.fakes.events import event
from tests.fakes.subscriptions import subscription

PAGES = 5_000
A, B = "http://a.test/", "http://b.test/"


def crawling() -> CrawlProcessor:
    """An agent with a crawl of PAGES pages, and with one that has just begun."""
    agent = CrawlProcessor()
    agent.begin(0)
    for key, root, pages in ("a", A, PAGES), ("b", B, 1):
        options = Options(crawl=CrawlOptions(3, max_pages=2 * PAGES))
        crawl = Crawl(subscription(key, document_url=root, url=root, options=options))
        agent.load(0, crawl_key(key), wire.encode(crawl))
        for number in range(pages):
            url = root if number == 0 else f"{root}{number}"
            page = CrawledPage(url, Coverage(key, root, root, min(number, 1)))
            agent.load(0, page_key(key, url), wire.encode(page))
    return agent


def commands(parts: list[Outcome]) -> list[Cover | Uncover]:
    """Return the commands that parts send; each sends one command at most, and changes one row."""
    assert all(len(list(part.sends)) <= 1 and len(part.puts) <= 1 for part in parts)
    found = [send.record for part in parts for send in part.sends]
    assert all(isinstance(each, Cover | Uncover) for each in found)
    return found  # type: ignore[return-value]


def test_a_crawl_of_thousands_of_pages_ends_in_parts_and_others_go_on_between() -> None:
    agent, lines = crawling(), LongOutcomes()

    def begin(fact: Cancelled | PageSeen) -> None:
        outcome = agent.decide(event(fact))
        assert outcome.rest is not None
        lines.add(outcome.line, Outcome, outcome.rest)

    def turn() -> list[Outcome]:
        return [part for _, part in lines.decide(lambda: False) if part is not None]

    begin(Cancelled("r", "a", "default", A, None, 1))
    first = commands(turn())
    assert (len(first), {each.url[: len(A)] for each in first}) == (PART, {A})

    begin(PageSeen("b", B, B, (f"{B}new",), (), "", 1))
    second = commands(turn())
    assert [each.url for each in second if isinstance(each, Cover)] == [f"{B}new"]
    assert PART <= len(second) <= PART + 1

    ended = [*first, *second]
    turns = 2
    while lines:
        ended += commands(turn())
        turns += 1
    left = [each.url for each in ended if isinstance(each, Uncover)]
    assert len(left) == len(set(left)) == PAGES - 1, "its root is the subscription's own page"
    assert turns <= PAGES // PART + 2
    assert agent.sizes() == {"crawls": 1, "pages": 2}
