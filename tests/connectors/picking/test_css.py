"""The selector of an element is short, says what it is, and finds it alone."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.picking.css import selector_of
from connectors.picking.page_tree import is_generated, named_tree, page_tree
from connectors.readers.html import parsed_html
from schemas.records.views import MAX_EXPRESSION

SHOP = """<!doctype html><html><head><title>Shop</title></head><body class="js-on">
<header><nav class=menu><a href=/>Home</a><a href=/a>About</a></nav></header>
<main id=main>
<div class="card flex mt-4 is-new"><h2 class=css-1x2y3z>Zeus</h2><span class=price>12</span></div>
<div class="card flex mt-4"><h2>Hera</h2><span class="price sale">13</span></div>
<ul><li>one<li>two<li><b>three</b></ul>
<my-stock>4 left</my-stock><span itemprop=sku>A-1</span>
<form><input name=q><button type=submit>Find</button></form>
</main><footer id=kXyZq9aB><p>End</p></footer></body></html>"""


def picked(markup: str, marked: str) -> str | None:
    """Return the selector of the innermost element with a text."""
    root = parsed_html(markup)
    assert root is not None
    tree = page_tree(root)
    found = [number for number, node in enumerate(tree.nodes) if marked in node.text()]
    return selector_of(named_tree(tree), found[-1])


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("Home", ".menu > a:nth-of-type(1)"),
        ("Zeus", "#main > div:nth-of-type(1) h2"),
        ("13", ".sale"),
        ("two", "#main ul > li:nth-of-type(2)"),
        ("three", "#main b"),
        ("4 left", "my-stock"),
        ("A-1", '[itemprop="sku"]'),
        ("Find", "#main button"),
        ("End", "footer p"),
    ],
)
def test_a_selector_names_what_the_element_is(text: str, selector: str) -> None:
    assert picked(SHOP, text) == selector


@pytest.mark.parametrize(
    "name", ["css-1x2y3z", "sc-bdVaJa", "kXyZq", "jsx-2871293847", "hlwrm", "Price_price__3kXyZ"]
)
def test_names_that_a_tool_made_are_not_relied_on(name: str) -> None:
    assert is_generated(name)
    assert name not in str(picked(f"<p class={name} id={name}>Zeus</p><p>Hera", "Zeus"))


@pytest.mark.parametrize(
    "name", ["price", "productPrice", "product-price", "h2", "main_content", "item-12", "news2024"]
)
def test_names_that_people_gave_are_used(name: str) -> None:
    assert picked(f"<p class={name}>Zeus</p><p>Hera", "Zeus") == f".{name}"


def test_an_id_of_one_item_among_many_gives_way_to_what_all_pages_have() -> None:
    markup = "<main><p id=post-48213 class=lead>Zeus</p><p>Hera</main>"
    assert picked(markup, "Zeus") == ".lead"


def test_an_element_too_deep_for_a_selector_has_none() -> None:
    markup = "<div><div></div>" * 300 + "Zeus"
    assert picked(markup, "Zeus") is None


TAGS = [
    "div",
    "p",
    "span",
    "ul",
    "li",
    "b",
    "table",
    "td",
    "my-tag",
    "svg",
    "template",
    "h1",
    "a:b",
]
NAMES = ["price", "Price", "card", "mt-4", "css-1x2y3z", "active", "a.b", "é", "1a", "-", "p"]
ELEMENT = st.tuples(
    st.sampled_from(TAGS),
    st.lists(st.sampled_from(NAMES), max_size=3),
    st.sampled_from(["", *NAMES]),
    st.sampled_from(["", "price", "a b", 'a"b', "\\"]),
    st.booleans(),
)


@given(st.lists(ELEMENT, min_size=1, max_size=25), st.sampled_from(["", "<!doctype html>"]))
def test_a_selector_finds_its_element_alone(
    elements: list[tuple[str, list[str], str, str, bool]], doctype: str
) -> None:
    markup = doctype
    for tag, classes, identity, value, is_closed in elements:
        markup += f'<{tag} class="{" ".join(classes)}" id="{identity}" '
        markup += f'itemprop="{escape(value)}">x'
        markup += f"</{tag}>" if is_closed else ""
    root = parsed_html(markup)
    assert root is not None
    page = named_tree(page_tree(root))
    for number, node in enumerate(page.tree.nodes):
        selector = selector_of(page, number)
        assert selector is not None, markup
        assert len(selector) <= MAX_EXPRESSION
        assert [each.mem_id for each in root.css(selector)] == [node.mem_id], (selector, markup)
