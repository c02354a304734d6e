"""Which text each version of a reader makes of a document."""

from hashlib import sha256

import pytest

from connectors.readers.reading import read_document
from connectors.readers.versions import VERSIONS, is_outdated, reader_id
from tests.connectors.readers.test_pdf import pdf

HTML = """<!doctype html><html lang="en"><title>Gods</title><nav><a href="/">Home</a></nav>
<h1>Gods of the sky</h1><p>Zeus <b>throws</b> thunder.<br>Hera does not.</p>
<ul><li>one<li>two</ul><table><tr><th>Name<th>Age<tr><td>Argus<td>100</table>
<p style="display:none">hidden</p><pre>  kept   as is</pre><script>no()</script>&amp; more</html>"""
SAMPLES = {
    "html": ("text/html", HTML.encode()),
    "xml": ("application/xml", b"<gods><god age='1'>Zeus</god><god>Hera</god></gods>"),
    "json": ("application/json", b'{"gods": [{"name": "Zeus", "age": 1.50}, null, true]}'),
    "markdown": ("text/markdown", b"# Gods\n\n* Zeus\n* *Hera*\n\n> said\n\n| a | b |\n|--|--|\n"),
    "csv": ("text/csv", b'name,age\nZeus,"1,5"\nHera,\n'),
    "tsv": ("text/tab-separated-values", b"name\tage\nZeus\t1\n"),
    "pdf": ("application/pdf", pdf("Zeus and Hera")),
    "plain": ("text/plain", " Zeus\r\n\r\nﬁrst  two ".encode()),
}
READ = {
    "html": (4, "8f36374adff9"),
    "xml": (4, "cf6397335919"),
    "json": (2, "b53dbacfd0e2"),
    "markdown": (2, "61c346eeb8db"),
    "csv": (1, "f4481c6b3b19"),
    "tsv": (1, "15adcd4e069b"),
    "pdf": (1, "401dd7891b91"),
    "plain": (1, "3f0efd142843"),
}
"""The version of each reader, and how the text begins to hash that it makes of its sample."""


@pytest.mark.parametrize("name", SAMPLES)
def test_a_reader_that_reads_otherwise_has_another_version(name: str) -> None:
    header, body = SAMPLES[name]
    reading = read_document(body, header, None)
    text = f"{reading.title}\n{reading.text}"
    read = VERSIONS[name], sha256(text.encode()).hexdigest()[:12]
    assert reading.reader == reader_id(name)
    assert read == READ[name], f"increment VERSIONS[{name!r}], and note here what it reads"


def test_every_reader_has_a_sample() -> None:
    assert SAMPLES.keys() == VERSIONS.keys() == READ.keys()


def test_a_reader_without_a_version_of_ours_is_never_outdated() -> None:
    assert not any(map(is_outdated, ("", "plug-in gods.py 0123", reader_id("pdf"))))
    assert is_outdated("pdf 1 pypdf 0.0.1")
