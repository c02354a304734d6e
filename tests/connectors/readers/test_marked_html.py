"""The marks and the hidden elements of HTML, compared with a walk from element to element."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborNode

from connectors.readers.html import hidden_elements, marked_text, parsed_html
from connectors.readers.visible import MARKS, UNSEEN

NAMES = (
    "a", "A", "span", "b", "x-y", "div", "p", "pre", "br", "hr", "ul", "li", "table", "tr", "td",
    "h2", "article", "nav", "svg", "title", "desc", "math", "foreignObject", "dialog", "details",
    "select", "option", "template", "noscript", "script", "iframe", "rp", "html", "body",
    "frameset", "plaintext",
)  # fmt: skip
ATTRIBUTES = (
    "", "hidden", "HIDDEN=x", "open", "class=a", "style", "style='DISPLAY : none'",
    "style='visib&#105;lity:hidden'", "style='overflow:hidden; border:none'",
    "style='color:red' hidden",
)  # fmt: skip
TEXTS = ("a", " b\n", "&amp;", "&nbsp;", "é", "\x1e", "<!-- <p> -->", "<![CDATA[x]]>", "<", "</p>")

tags = st.builds("<{} {}>".format, st.sampled_from(NAMES), st.sampled_from(ATTRIBUTES))
ends = st.builds("</{}>".format, st.sampled_from(NAMES))
pages = st.lists(tags | tags | ends | st.sampled_from(TEXTS), max_size=60).map("".join)


def text_by_walk(root: LexborNode) -> str:
    """Mark or leave out each element in turn."""
    hidden = hidden_elements(root)
    unseen = []
    for element in list(root.traverse()):
        if element.tag in UNSEEN or element.mem_id in hidden:
            unseen.append(element)
        else:
            before, after = MARKS.get(element.tag or "", ("", ""))
            element.insert_before(before)
            element.insert_after(after)
    for element in reversed(unseen):
        element.decompose()
    return root.text()


def assert_marked_as_by_walk(page: str) -> None:
    root, copy = parsed_html(page), parsed_html(page)
    if root is not None and copy is not None:
        assert marked_text(root) == text_by_walk(copy)


@given(pages)
def test_each_element_has_its_marks_or_is_left_out(page: str) -> None:
    assert_marked_as_by_walk(page)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize(
    "page", ["{}Zeus{}", "<svg>{}Zeus{}</svg>", "<table><tr>{}Zeus{}<td></table>"]
)
def test_an_element_of_any_name_has_its_marks_or_is_left_out(page: str, attribute: str) -> None:
    for name in {*NAMES, *MARKS, *UNSEEN}:
        assert_marked_as_by_walk("x" + page.format(f"<{name} {attribute}>", f"</{name}>") + "y")


@pytest.mark.parametrize("name", ["a", "span", "b", "x-y", "p"])
@pytest.mark.parametrize("attribute", ["hidden", "HIDDEN", "style='Visibility :hidden'"])
def test_an_element_is_hidden_by_its_attributes(name: str, attribute: str) -> None:
    root = parsed_html(f"<div>Zeus<{name} {attribute}>Hera</{name}></div>")
    assert root is not None
    assert "Hera" not in marked_text(root)
