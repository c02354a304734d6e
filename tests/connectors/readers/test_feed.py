"""RSS and Atom."""

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
