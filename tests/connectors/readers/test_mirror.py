"""The copy of a page that XPath looks at."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.errors import Unreadable
from connectors.readers.html import parsed_html
from connectors.readers.lxml_copy import mirrored_html
from connectors.readers.reading import read_views
from schemas.records.views import Selector, View

PIECES = (
    "a", "<p>", "</p>", "<b x='1 &lt; \"2\"' y>", "</b>", "<!-- > -->", "<br>", "&#13;", "\n \t",
    "]]>", "&amp;lt;", "\x0b", "\U0001f600", "é", "<i a='\n\t&#13;>'>", "&#xfffe;",
    "<svg viewBox=0><a xlink:href=b></a></svg>", "<table><tr>", "<template><p>x</template>",
    "<o:p u:v=w xmlns=x xmlns:o=y>z</o:p>", "<script>1 < 2 && 3</script>", "<x-²>q</x-²>",
)  # fmt: skip


def mirrored(body: str) -> tuple[Any, dict[str, str]]:
    root = parsed_html(f"<body>{body}</body>")
    assert root is not None
    copy, _, prefixes = mirrored_html(root)
    return copy.find("body"), prefixes


@given(st.lists(st.sampled_from(PIECES)))
def test_a_copy_has_the_elements_attributes_and_texts_of_the_page(pieces: list[str]) -> None:
    root = parsed_html(f"<body>{''.join(pieces)}</body>")
    assert root is not None
    _, nodes, _ = mirrored_html(root)
    elements = [each.mem_id for each in root.traverse() if each.is_element_node]
    assert [node.mem_id for node in nodes.values()] == elements
    for element, node in nodes.items():
        texts = [each.text_content or "" for each in node.iter(include_text=True)
                 if each.is_text_node]  # fmt: skip
        found = [element.text or "", *(each.tail or "" for each in element)]
        assert "".join(found) == "".join(texts).replace("\x0b", "").replace("\ufffe", "")
        known = {"x", "y", "a", "viewbox", "viewBox"}
        values = {name: value or "" for name, value in node.attributes.items() if name in known}
        assert {name: element.get(name) for name in element.attrib if name in known} == values


def test_names_with_prefixes_are_found_by_them() -> None:
    body, prefixes = mirrored("<o:p u:v=w>z</o:p><x-²>q</x-²><svg><use xlink:href='#a'/></svg>")
    assert body.xpath("o:p/@u:v", namespaces=prefixes) == ["w"]
    assert body.xpath("string(odd)") == "q"
    assert body.xpath("name(*)") == "o:p"
    assert body.xpath("svg/use/@xlink:href", namespaces=prefixes) == ["#a"]


@pytest.mark.parametrize(("depth", "is_read"), [(1_000, True), (3_000, False)])
def test_a_page_that_is_nested_too_deep_for_xpath_is_unreadable_in_that_view_alone(
    depth: int, is_read: bool
) -> None:
    page = f"{'<div>' * depth}<b>x</b>".encode()
    found, whole = read_views(page, "text/html", [View(select=(Selector(xpath="//b"),)), View()])
    assert not isinstance(whole, Unreadable)
    assert isinstance(found, Unreadable) is not is_read
    assert is_read or "nested too deep" in str(found)
