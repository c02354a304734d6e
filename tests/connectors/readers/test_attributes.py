"""Values of attributes in the text of a page, if a view asks for them."""

import pytest

from connectors.readers.attributes import MAX_VALUE
from connectors.readers.errors import Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

URL = "https://shop.example/bikes/?page=1"
PAGE = b"""<link href=/style.css><p>See <a href="a.html" title="All  of\nthem">the <b>list</b></a>
or <a href=//other.example/x>this</a>.<p><img src=/red.png alt="A red bike">
<img src=data:image/png,0>
<a hidden href=/secret>x</a><a href="javascript:go()">go</a> <a href="http://[">odd</a>"""


def read(*attributes: str, body: bytes = PAGE, url: str = URL, css: str = "") -> str:
    select = (Selector(css=css),) if css else ()
    view = View(attributes=attributes, select=select)
    (found,) = read_views(body, "text/html", [view], url=url)
    assert isinstance(found, Reading), found
    return found.text


def test_links_and_images_are_read_after_their_texts_with_whole_addresses() -> None:
    assert read("alt", "href", "src").split("\n") == [
        "See the list (https://shop.example/bikes/a.html) or this (https://other.example/x).",
        "(A red bike) (https://shop.example/red.png)",
        "go odd (http://[)",
    ]
    assert read("title").split("\n")[0] == "See the list (All of them) or this."


def test_a_page_may_say_to_what_its_addresses_are_relative() -> None:
    body = b"<base href=/en/><a href=a>A</a>"
    assert read("href", body=body) == "A (https://shop.example/en/a)"
    assert read("href", body=body, url="") == "A (/en/a)"


def test_what_is_selected_has_the_values_of_its_own_attributes_alone() -> None:
    assert read("href", "title", css="a[title]") == (
        "the list (https://shop.example/bikes/a.html) (All of them)"
    )
    assert read("src", css="img") == "(https://shop.example/red.png)"


def test_each_view_of_a_page_has_its_own_attributes() -> None:
    views = [View(), View(attributes=("alt",)), View(select=(Selector(css="b"),))]
    texts = [
        each.text.split("\n") for each in read_views(PAGE, "text/html", views, url=URL)
        if isinstance(each, Reading)
    ]  # fmt: skip
    assert texts[0] == ["See the list or this.", "go odd"]
    assert texts[1] == ["See the list or this.", "(A red bike)", "go odd"]
    assert texts[2] == ["list"]


def test_long_values_are_cut_and_cannot_forge_where_parts_are() -> None:
    body = b"<p>1<i title='%b'></i><p>2<b title='&#0;0(\x1e'>x</b>" % (b"a" * 10_000)
    assert read("title", body=body).split("\n")[0] == "1 (" + "a" * MAX_VALUE + ")"
    assert read("title", body=body, css="p + p").startswith("2x (")


@pytest.mark.parametrize("header", ["application/json", "text/xml", "text/plain"])
def test_what_has_no_attributes_of_html_says_so(header: str) -> None:
    body = b"[]" if "json" in header else b"<a href='b'>c</a>"
    (found,) = read_views(body, header, [View(attributes=("href",))])
    assert isinstance(found, Unreadable)
    assert str(found).startswith("view.attributes finds nothing in ")
