"""The links of HTML pages, sitemaps and feeds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.links import MAX_LOOKED_AT, find_links

PAGE = "https://example.org/docs/"
HTML = "text/html; charset=utf-8"


def links(body: str, header: str | None = HTML) -> tuple[str, ...]:
    return find_links(body.encode(), header, PAGE).links


def test_links_are_whole_addresses_without_fragments() -> None:
    body = "<a href='a#x'>1</a><a href='/b'>2</a><map><area href='//other.example/'></map>"

    assert links(body) == (
        "https://example.org/docs/a",
        "https://example.org/b",
        "https://other.example/",
    )


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        (" a b.html\n", "docs/a%20b.html"),
        ("..\\news\\a.html", "news/a.html"),
        ("long\n  name.html", "docs/long%20%20name.html"),
        ("\\\\other.example\\a", None),
    ],
)
def test_blanks_and_backslashes_are_those_of_browsers(href: str, expected: str | None) -> None:
    whole = "https://other.example/a" if expected is None else f"https://example.org/{expected}"
    assert links(f"<a href='{href}'>1</a>") == (whole,)


def test_a_feed_that_is_declared_as_a_page_lists_pages_too() -> None:
    feed = (
        "<?xml version='1.0'?><rss><channel><link>https://example.org/docs/a</link></channel></rss>"
    )
    assert links(feed, "text/html") == (f"{PAGE}a",)


def test_a_base_counts() -> None:
    assert links("<base href='/new/'><a href=a>1</a>") == ("https://example.org/new/a",)


@pytest.mark.parametrize(
    "body",
    [
        "<a href='mailto:a@example.org'>1</a><a href='javascript:x()'>2</a>",
        "<a rel='noopener NoFollow' href=a>1</a>",
        "<meta name=Robots content='noindex, NOFOLLOW'><a href=a>1</a>",
        "<a href='http://['>1</a><a>2</a>",
    ],
)
def test_what_is_no_link_to_a_page_or_not_to_be_followed_is_left_out(body: str) -> None:
    assert links(body) == ()


def test_a_page_names_its_feeds() -> None:
    body = "<link rel=alternate type='application/rss+xml' href=feed.xml><link rel=icon href=i>"

    assert find_links(body.encode(), HTML, PAGE).sources == ("https://example.org/docs/feed.xml",)


def test_a_sitemap_lists_pages_and_an_index_sitemaps() -> None:
    namespace = "xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'"
    pages = f"<?xml version='1.0'?><urlset {namespace}><url><loc> {PAGE}a </loc></url></urlset>"
    index = f"<sitemapindex {namespace}><sitemap><loc>{PAGE}s.xml</loc></sitemap></sitemapindex>"

    assert links(pages, "application/xml") == (f"{PAGE}a",)
    assert find_links(f"<?xml version='1.0'?>{index}".encode(), "text/xml", PAGE).sources == (
        f"{PAGE}s.xml",
    )


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><link>https://example.org/docs/a</link></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='a'/></entry></feed>",
    ],
)
def test_a_feed_lists_pages(feed: str) -> None:
    assert links(feed, "application/xml") == (f"{PAGE}a",)


def test_the_text_is_what_a_print_version_has_too() -> None:
    whole = "<nav>Home</nav><main>Argus sleeps.</main><footer>Zeus</footer>"

    assert find_links(whole.encode(), HTML, PAGE).text.split() == ["Argus", "sleeps."]


@given(st.binary(max_size=200), st.sampled_from([None, HTML, "application/xml", "text/plain"]))
def test_any_bytes_are_read(body: bytes, header: str | None) -> None:
    assert len(find_links(body, header, PAGE).links) <= 200


@pytest.mark.parametrize(
    ("begin", "each", "end", "header"),
    [
        ("", "<a href={}>1</a>", "", HTML),
        (
            "<?xml version='1.0'?><urlset>",
            "<url><loc>/{}</loc></url>",
            "</urlset>",
            "application/xml",
        ),
        ("<?xml version='1.0'?><feed>", "<link>/{}</link>", "</feed>", "application/xml"),
    ],
)
def test_of_a_page_with_links_without_end_the_first_are_looked_at(
    begin: str, each: str, end: str, header: str
) -> None:
    body = begin + "".join(map(each.format, range(MAX_LOOKED_AT + 5))) + end

    assert len(links(body, header)) == MAX_LOOKED_AT
