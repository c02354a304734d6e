"""RSS and Atom."""

from dataclasses import replace

import pytest

from connectors.readers.reading import read_document

RSS = """\
<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:media="http://search.yahoo.com/mrss/">
 <channel>
  <title>News &amp;amp; views</title><link>http://x.test/</link>
  <description>All of it</description><lastBuildDate>Sat, 21 Nov 2026</lastBuildDate>
  <item>
   <title>AT&amp;T</title><guid>1</guid><pubDate>Fri, 20 Nov 2026</pubDate>
   <description>&lt;p&gt;a&lt;/p&gt;&lt;p&gt;b&lt;/p&gt;&lt;script&gt;s&lt;/script&gt;</description>
   <content:encoded><![CDATA[<b>wo</b>rd <i>caf&eacute;</i>]]></content:encoded>
   <media:title>unseen</media:title>
  </item>
  <item><title>Second</title><description/></item>
 </channel>
</rss>"""
ATOM = """\
<feed xmlns="http://www.w3.org/2005/Atom">
 <title>Notes</title><subtitle type="html">&lt;em&gt;on&lt;/em&gt; giants</subtitle>
 <updated>2026-11-21T00:00:00Z</updated><id>urn:1</id>
 <entry>
  <title>a &lt;b&gt; c</title><id>urn:2</id><updated>2026-11-20T00:00:00Z</updated>
  <author><name>Hesiod</name></author>
  <summary type="text">short</summary>
  <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>x</p><p>y<b>z</b></p>
   <p hidden="">unseen</p></div></content>
 </entry>
</feed>"""
RDF = """\
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
 <channel><title>Old</title></channel>
 <item><title>one</title><dc:date>2026-11-21</dc:date><description>two</description></item>
</rdf:RDF>"""


@pytest.mark.parametrize("kind", ["application/rss+xml", "text/xml", "application/octet-stream"])
def test_rss_is_read_as_its_titles_and_summaries_in_order(kind: str) -> None:
    lines = ["News & views", "All of it", "", "AT&T", "a", "b", "word café", "", "Second"]
    assert read_document(RSS.encode(), kind, None).text.split("\n") == lines


def test_atom_is_read_by_the_types_of_its_texts() -> None:
    lines = ["Notes", "on giants", "", "a <b> c", "short", "x", "yz"]
    assert read_document(ATOM.encode(), "application/atom+xml", None).text.split("\n") == lines


def test_rss_1_is_read_like_the_others() -> None:
    assert read_document(RDF.encode(), "application/rdf+xml", None).text == "Old\n\none\ntwo"


def test_a_feed_in_which_only_dates_change_has_the_same_text() -> None:
    later = RSS.replace("Sat, 21", "Sun, 22")
    assert read_document(later.encode(), "text/xml", None) == read_document(
        RSS.encode(), "text/xml", None
    )


@pytest.mark.parametrize("root", ["rss", "feed"])
@pytest.mark.parametrize("namespace", ["http://purl.org/atom/ns#", "http://backend.test/rss2"])
def test_a_feed_in_another_namespace_is_read_but_not_its_other_namespaces(
    root: str, namespace: str
) -> None:
    entry = "<title>News</title><x:title xmlns:x='http://x.test/'>unseen</x:title>"
    feed = f"<{root} xmlns='{namespace}'><entry>{entry}</entry></{root}>"
    assert read_document(feed.encode(), "application/xml", None).text == "News"


@pytest.mark.parametrize(
    "kind",
    [
        "text/html; charset=utf-8",
        "text/plain",
        "",
        "text/xml",
        "application/rss",
        "rss",
        "text/css",
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        "",
        "\n\n",
        "<br />\n<b>Warning</b>: foo in /x.php on line 3<br />\n",
        "Notice: Undefined variable in /x.php on line 3\n",
        "<br />\n<font size='1'><table class='xdebug-error'><tr><td>!</td></tr></table></font>\n",
    ],
)
def test_a_feed_with_another_type_or_after_a_warning_is_read_as_a_feed(
    kind: str, before: str
) -> None:
    expected = read_document(RSS.encode(), "text/xml", None)
    assert read_document((before + RSS).encode(), kind, None) == replace(
        expected, content_type=kind if kind == "text/xml" else "application/xml"
    )


@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_a_chosen_type_is_that_of_a_feed_too(kind: str) -> None:
    assert "<item>" in read_document(RSS.encode(), "text/html", "text/plain").text
    page = b"<?xml version='1.0'?><html><pre>&lt;rss></pre></html>"
    assert read_document(page, kind, None).reader.startswith("html" if "html" in kind else "plain")


@pytest.mark.parametrize(
    "title",
    [
        "AT&T raises prices",
        "😀 more",
        "Q&A time",
        "u?a=1&b=2",
        "5 < 6",
        "i <3 you",
        "R&D; more",
        "a && b",
    ],
)
def test_signs_that_should_be_escaped_cost_neither_words_nor_entries(title: str) -> None:
    items = f"<item><title>{title}</title></item><item><title>Next</title></item>"
    feed = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
    feed = feed.replace("😀", "&#55357;&#56832;")
    assert read_document(feed.encode(), "application/rss+xml", None).text == (
        f"News\n\n{title}\n\nNext"
    )


@pytest.mark.parametrize(
    "text",
    [
        "&lt;![CDATA[alpha &lt;b&gt;text&lt;/b&gt;]]&gt;",
        "<![CDATA[<![CDATA[alpha <b>text</b>]]]]><![CDATA[>]]>",
        "&lt;![CDATA[alpha text",
    ],
)
def test_text_that_is_escaped_twice_is_read(text: str) -> None:
    feed = f"<rss><channel><item><description>{text}</description></item></channel></rss>"
    assert read_document(feed.encode(), "application/rss+xml", None).text == "alpha text"
