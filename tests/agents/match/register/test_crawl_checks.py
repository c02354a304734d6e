"""What a client may ask of a crawl."""

import pytest

from schemas.records.crawls import CrawlOptions
from streams.agents.match.register.checks import crawl_faults


@pytest.mark.parametrize(
    ("crawl", "fault"),
    [
        (CrawlOptions(6), "crawl.depth: 0 to 5 links are allowed, not 6"),
        (CrawlOptions(1, 0), "crawl.maxPages: 1 to 100000 pages are allowed, not 0"),
        (CrawlOptions(1, 900), "crawl.maxPages: 1 to 500 pages are allowed here, not 900"),
        (CrawlOptions(1, within="site"), 'crawl.within: "host", "domain" or a pattern'),
    ],
)
def test_a_fault_names_the_field_the_value_and_what_is_allowed(
    crawl: CrawlOptions, fault: str
) -> None:
    (found,) = crawl_faults(crawl, 500)

    assert found.startswith(fault)


@pytest.mark.parametrize("within", ["host", "domain", "https://*.example.org/docs/*"])
def test_what_is_allowed_has_no_fault(within: str) -> None:
    assert list(crawl_faults(CrawlOptions(0, 500, within), 500)) == []
