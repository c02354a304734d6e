"""The copy of a page has what its reader reads, and nothing that could do anything."""

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.picking.page_tree import page_tree
from connectors.picking.safe_html import MAX_CHARACTERS, MAX_DEPTH, MAX_ELEMENTS, safe_copy
from connectors.readers.html import html_text, parsed_html
from schemas.records.previews import PageCopy
from tests.fakes.hostile_texts import HOSTILE_TEXTS

INERT = {"data-n", "class", "colspan", "rowspan"}
TAGS = (
    "abbr address article aside b blockquote br caption cite code col colgroup dd del dfn div dl "
    "dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main mark nav ol p "
    "pre q s samp section small span strong sub sup table tbody td tfoot th thead time tr u ul "
    "var"
)
INERT_TAGS = set(TAGS.split())
MUTATIONS = (
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=f()>'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=f()>",
    "<noscript><p title='</noscript><img src=x onerror=f()>'></noscript>",
    "<img srcset='http://a.test/x 2x' src=//a.test/y style='background:url(http://a.test)'>",
    "<table background=http://a.test><td background=x colspan='2\" onclick=f() x=\"'>x",
    "<a href=http://a.test target=_top ping=http://a.test>x</a><area href=x><map>",
    "<input type=image src=http://a.test><isindex action=x><keygen autofocus>",
    "<link rel=preload href=x><base target=_top><meta http-equiv=refresh content=0>",
    "<frameset><frame src=http://a.test></frameset>",
    "<select><option>x<style>@import 'x'</style></select><textarea><img src=x></textarea>",
    "<svg><use href=http://a.test#x /><image href=http://a.test/><animate onbegin=f()></svg>",
    "<div data-n='7\" onclick=f()' class='over' id=x is=my-x slot=y contenteditable>x",
    "<xmp><img src=x></xmp><plaintext><img src=x>",
)


class Tags(HTMLParser):
    """All tags of a copy with their attributes, as a second parser reads them."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.others: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def copied(markup: str) -> PageCopy:
    root = parsed_html(markup)
    assert root is not None
    return safe_copy(page_tree(root))


def assert_inert(markup: str) -> None:
    tags = Tags(markup)
    assert tags.others == []
    for tag, attributes in tags.found:
        assert tag in INERT_TAGS
        assert set(attributes) <= INERT
        for name, value in attributes.items():
            assert re.fullmatch(
                "link|button|image|summary" if name == "class" else r"\d+", value or ""
            )


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS, *MUTATIONS])
def test_what_a_hostile_page_has_is_not_in_its_copy(text: str) -> None:
    assert_inert(copied(f"<title>x</title><p>Argus {text} <b title='{text}'>x</b>").html)
    assert_inert(copied(text).html)


@given(st.lists(st.sampled_from([*HOSTILE_TEXTS, *MUTATIONS, "<p>", "</", "<!--", '"', "x"])))
def test_no_mixture_of_hostile_texts_is_in_a_copy(texts: list[str]) -> None:
    if texts:
        assert_inert(copied("".join(texts)).html)


def test_a_copy_has_the_text_that_the_reader_reads() -> None:
    page = """<body><h1>Giants</h1><p hidden>no<p style="display:none">no<noscript>no</noscript>
    <p>Argus <a href=/>sleeps</a></p><my-price>12 €</my-price><button>Buy</button>
    <details><summary>More</summary>Io</details><table><tr><td colspan=2>a<td>b</table>
    <pre>one\n  two</pre><center>c</center><template>no</template><textarea>t</textarea>"""
    copy = copied(page).html
    # Some blocks are in one line in it.
    assert "".join(html_text(copy).text.split()) == "".join(html_text(page).text.split())
    assert 'colspan="2"' in copy


def test_a_copy_is_written_from_the_side_of_its_page() -> None:
    copy = copied("<html dir=RTL><p>حجر</p><p dir=ltr>Argus</p><p dir='x\" onclick=f()'>x</p>").html
    assert re.findall(r' dir="[^"]*"', copy) == [' dir="rtl"', ' dir="ltr"']


def test_images_are_shown_by_their_texts() -> None:
    copy = copied("<p><img src=http://a.test/x.png alt='A <giant>'>").html
    assert '<span class="image" data-n="4">A &lt;giant&gt;</span>' in copy


def test_each_element_has_the_number_of_the_original_one() -> None:
    root = parsed_html("<div data-n=9><p hidden>no</p><p>yes</p></div>")
    assert root is not None
    tree = page_tree(root)
    found = re.findall(r'data-n="(\d+)"', safe_copy(tree).html)
    assert [tree.nodes[int(number)].tag for number in found] == ["body", "div", "p"]
    assert tree.nodes[int(found[-1])].text() == "yes"


def test_a_deep_page_is_as_deep_as_may_be() -> None:
    copy = copied("<div>" * 20_000 + "Argus")
    tags = Tags(copy.html).found
    assert (len(tags), "Argus" in copy.html, copy.is_cut) == (MAX_DEPTH, True, False)


@pytest.mark.parametrize("markup", ["<p>x</p>" * (MAX_ELEMENTS + 1), "x" * (MAX_CHARACTERS + 1)])
def test_a_huge_page_is_cut_short(markup: str) -> None:
    copy = copied(markup)
    assert copy.is_cut
    assert len(Tags(copy.html).found) <= MAX_ELEMENTS
    assert copy.html.count("x") <= MAX_CHARACTERS


def test_the_numbers_of_a_copy_are_in_order() -> None:
    found = [int(each) for each in re.findall(r'data-n="(\d+)"', copied("<p>a<b>b</b><p>c").html)]
    assert all(one < other for one, other in pairwise(found))
