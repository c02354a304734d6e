"""Patterns with stars mean what everybody thinks, and take no time to compare."""

import re

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.crawls import CrawlOptions
from schemas.records.globs import matches_glob
from schemas.records.pages import covers
from streams.agents.crawl.scope import outside


@given(st.text("ab*", max_size=6), st.text("ab", max_size=8))
def test_a_star_is_any_number_of_characters(pattern: str, text: str) -> None:
    expression = ".*".join(map(re.escape, pattern.split("*")))

    assert matches_glob(pattern, text) == (re.fullmatch(expression, text) is not None)


# With an expression that goes back, each would run for longer than the universe has.


def test_a_crawl_compares_links_with_a_hostile_pattern_at_once() -> None:
    options = CrawlOptions(depth=1, within="https://example.org/" + "*a" * 300 + "*b")

    reason = outside("https://example.org/" + "a" * 900, "https://example.org/", options)

    assert reason.endswith("does not match it (crawl.within)")


def test_a_host_with_stars_is_compared_with_a_hostile_host_at_once() -> None:
    host = ".".join("a" * 60 for _ in range(4))

    assert not covers("pages:" + "*a" * 120 + "*b", f"https://{host}/", ())
