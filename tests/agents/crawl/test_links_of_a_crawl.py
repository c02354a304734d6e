"""Which links a crawl follows: addresses, scope and traps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.crawls import CrawlOptions
from schemas.records.urls import canonical
from streams.agents.crawl.scope import group_of, outside, trap_in
from streams.values.addresses import page_address

ROOT = "https://www.example.org/docs/"


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("https://example.org/?PHPSESSID=1f", "https://example.org/"),
        ("https://example.org/a;jsessionid=1F.n1?b=2", "https://example.org/a?b=2"),
        ("https://example.org/a?utm_source=x&b=2&fbclid=3", "https://example.org/a?b=2"),
        ("https://example.org/a?side=2&page=3", "https://example.org/a?side=2&page=3"),
    ],
)
def test_what_names_a_visitor_is_no_part_of_an_address(link: str, address: str) -> None:
    assert page_address(link) == address


@given(st.text("abs=&?;/id", max_size=20))
def test_an_address_is_canonical_and_that_of_itself(rest: str) -> None:
    url = canonical(f"https://example.org/{rest}") or ROOT

    address = page_address(url)

    assert page_address(address) == address == canonical(address)


@pytest.mark.parametrize(
    ("within", "inside"),
    [
        ("host", {"https://www.example.org/x"}),
        ("domain", {"https://www.example.org/x", "https://shop.example.org/docs/"}),
        ("https://*.example.org/docs/*", {"https://shop.example.org/docs/"}),
    ],
)
def test_a_crawl_stays_within_its_scope(within: str, inside: set[str]) -> None:
    links = {
        "https://www.example.org/x",
        "https://shop.example.org/docs/",
        "https://a-example.org/",
    }
    options = CrawlOptions(depth=1, within=within)

    assert {url for url in links if not outside(url, ROOT, options)} == inside


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://example.org/a/b/a/b/a/b", "more than 2 times"),
        ("https://example.org/film.mp4", "type mp4"),
        ("https://example.org/s?a=1&b=2&c=3&d=4&e=5", "more than 4 parameters"),
        (f"https://example.org/{'a' * 1000}", "more than 1,000 characters"),
        (f"https://example.org/{'/'.join(map(str, range(17)))}", "more than 16 parts"),
        ("https://example.org/2031/02/14/news", ""),
    ],
)
def test_a_trap_says_why_it_is_one(url: str, why: str) -> None:
    found = trap_in(url)

    assert (why in found) if why else not found


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://example.org/2031/02/14", "calendar"),
        ("https://example.org/events?month=3", "calendar"),
        ("https://example.org/events?from=2031-02-14", "calendar"),
        ("https://example.org/shop?color=red&size=9", "search"),
        ("https://example.org/list?page=9", "list"),
        ("https://example.org/2031/02/14/news", None),
    ],
)
def test_pages_that_may_be_without_end_are_counted_together(url: str, kind: str | None) -> None:
    group = group_of(url)

    assert (group.kind if group else None) == kind


def test_all_days_of_a_calendar_are_one_group() -> None:
    first, other = (
        group_of("https://example.org/2031/02/14"),
        group_of("https://example.org/2032/3/1"),
    )

    assert first == other
