"""Parts of a page, each found by CSS in one parse."""

import pytest

from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

PAGE = b"""<title>Shop</title><nav>Menu <a>Cart</a></nav><main><h1>Bike</h1>
<p id=price>Now: <b>12</b></p><ul><li>red<li>blue<ul><li>dark</ul></ul><i></i><p hidden id=old>13
</p><table><tr><th>Size<td>L</table></main>"""


def css(*texts: str) -> tuple[Selector, ...]:
    return tuple(Selector(css=text) for text in texts)


def read(view: View, body: bytes = PAGE, header: str = "text/html") -> Reading:
    (found,) = read_views(body, header, [view])
    if isinstance(found, Unreadable):
        raise found
    return found


@pytest.mark.parametrize(
    ("select", "exclude", "lines"),
    [
        (("#price",), (), ["Now: 12"]),
        (("b", "h1"), (), ["Bike", "12"]),
        (("li",), (), ["red", "blue", "dark"]),
        (("ul",), ("li li",), ["red", "blue"]),
        (("tr",), (), ["Size\tL"]),
        (("td",), (), ["L"]),
        ((), ("nav", "ul", "table", "h1"), ["Shop", "", "Now: 12"]),
        (("html",), ("nav", "main"), ["Shop"]),
        (("main",), ("main",), [""]),
        (("#none, i",), (), [""]),
        (("#old", "h1"), (), ["Bike"]),
    ],
)
def test_what_is_selected_is_read_as_in_the_whole_page(
    select: tuple[str, ...], exclude: tuple[str, ...], lines: list[str]
) -> None:
    assert read(View(select=css(*select), exclude=css(*exclude))).text.split("\n") == lines


def test_title_and_headings_stay() -> None:
    reading = read(View(select=css("main")))
    assert reading.title == "Shop"
    assert [reading.text[each.start :].split("\n")[0] for each in reading.headings] == ["Bike"]


def test_a_selector_that_finds_nothing_is_no_empty_page() -> None:
    with pytest.raises(NothingSelected, match=r"^nothing on the page matches view\.select$"):
        read(View(select=css("#none")))
    with pytest.raises(NothingSelected):
        read(View(select=css("p")), b"")


@pytest.mark.parametrize("header", ["text/html", "application/xhtml+xml"])
@pytest.mark.parametrize(
    "select",
    ["#old", "#old b", "meta", "script", "noscript", "meta, #old", "#none", "#none i", "dialog *"],
)
def test_elements_that_are_not_shown_are_no_empty_page(select: str, header: str) -> None:
    page = b"""<html><head><meta name="a" content="b"/><script type="application/ld+json">{}
</script></head><body><p>x</p><noscript>y</noscript><div hidden="" id="old">1<b>2</b></div>
<p style="display: none" id="none">3<i>4</i></p><dialog><b>5</b></dialog></body></html>"""
    with pytest.raises(NothingSelected, match=r"^view\.select finds only elements without visible"):
        read(View(select=css(*select.split(", "))), page, header)
    found = read(View(select=(*css(select), Selector(xpath="//meta/@content"))), page, header)
    assert found.text == "b"


@pytest.mark.parametrize("root", ["html", "r"])
def test_scripts_of_xml_are_no_empty_page(root: str) -> None:
    page = f"<{root}><script>x</script><b></b></{root}>".encode()
    with pytest.raises(NothingSelected, match="only elements without visible text"):
        read(View(select=css("script")), page, "text/xml")
    assert not read(View(select=css("script, b")), page, "text/xml").text


@pytest.mark.parametrize("header", ["text/html", "application/xhtml+xml"])
def test_texts_stay_in_the_order_of_the_page_and_are_repeated(header: str) -> None:
    page = b"""<html><head><meta content="z" name="z"/><meta content="b"/></head><body><p>1<br/>x
</p><meta content="z"/><div hidden="hidden"><a title="y"></a><a title="c"></a></div>
<meta content="a"/><p>0</p></body></html>"""
    xpaths = [Selector(xpath="//meta/@*"), Selector(xpath="//meta/@content | //a/@title")]
    view = View(select=(*xpaths, Selector(xpath="//p")))
    assert " ".join(read(view, page, header).text.split()) == "z z b 1 x z y c a 0"


def test_what_is_excluded_may_be_absent() -> None:
    assert read(View(exclude=css("#none"))) == read(View())


def test_selectors_for_another_kind_of_content_are_a_failure_of_that_view_alone() -> None:
    whole, part = read_views(b"a", "text/plain", [View(), View(select=css("a"))])
    assert isinstance(whole, Reading)
    assert str(part) == "view.select and view.exclude find nothing in 'text/plain'"


def test_many_views_are_read_as_each_by_itself() -> None:
    views = [
        View(),
        View(select=css("h1")),
        View(exclude=css("p")),
        View(content_type="text/plain"),
    ]
    found = read_views(PAGE, "text/html", views)
    assert found == [read(view) for view in views]


def test_a_page_cannot_forge_where_its_parts_are() -> None:
    page = b"<p>a&#0;0)b\x1e<b>c</b>"
    assert read(View(select=css("b")), page).text == "c"
    assert read(View(select=css("p")), page) == read(View(), page)
