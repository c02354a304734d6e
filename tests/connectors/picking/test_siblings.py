"""One of several equal siblings is watched with the others, so that none is taken for a new one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.picking.page_tree import NamedTree, named_tree, page_tree
from connectors.picking.picker import picked_part
from connectors.picking.siblings import Siblings, siblings_of
from connectors.readers.html import parsed_html
from schemas.records.previews import PickedPart
from schemas.records.views import is_by_position

CARDS = """<main><h1>Lamps</h1><div class="card css-1x2y3"><h2>Aurora</h2><p>89</div>
<div class="card css-1x2y3 active"><h2>Boreal</h2><p>99</div><p>Two lamps</main>"""
TABLE = """<table><thead><tr><th>God<th>Eyes</thead><tbody><tr><td>Zeus<td>2<tr><td>Argus<td>100
</tbody></table>"""


def tree_of(markup: str) -> NamedTree:
    root = parsed_html(markup)
    assert root is not None
    return named_tree(page_tree(root))


def number_of(page: NamedTree, text: str) -> int:
    return [n for n, node in enumerate(page.tree.nodes) if text in node.text()][-1]


def picked(markup: str, text: str) -> PickedPart:
    part = picked_part(markup.encode(), "text/html", number_of(tree_of(markup), text))
    assert part is not None
    return part


@pytest.mark.parametrize(
    ("markup", "text", "expected"),
    [
        ("<ul class=jobs><li>Cook<li>Baker <i>Zug</i><li>Smith</ul>", "Zug", (2, 3, ".jobs")),
        (CARDS, "Boreal", (2, 2, ".card")),
        (TABLE, "Argus", (2, 2, "table tbody")),
        # Two lists without a name: what holds both is watched, not the second one.
        ("<main><ul><li>a<li>b</ul><ul><li>c<li>d</ul></main>", "d", (2, 2, "main")),
        ("<ul id=gods><li>Zeus<ul><li>Ares<li>Eris</ul><li>Hera</ul>", "Eris", (2, 2, "#gods ul")),
    ],
)
def test_what_is_picked_is_one_of_several(
    markup: str, text: str, expected: tuple[int, int, str]
) -> None:
    page = tree_of(markup)
    found = siblings_of(page, number_of(page, text))
    assert found is not None
    assert found == Siblings(*expected)
    assert not is_by_position(found.selector)


@pytest.mark.parametrize("markup", ["<p>Zeus<p>Hera", "<h2>Zeus</h2><p>Hera", "<ul><li>Zeus</ul>"])
def test_paragraphs_and_what_stands_alone_are_no_list(markup: str) -> None:
    page = tree_of(markup)
    assert siblings_of(page, number_of(page, "Zeus")) is None


def test_the_list_is_chosen_and_a_position_comes_last() -> None:
    part = picked("<ul class=jobs><li>Cook<li>Baker<li>Smith</ul>", "Baker")
    assert part.css is not None
    assert part.css.css == ".jobs"
    assert part.selectors[0] == part.css
    assert part.item is not None
    assert part.item.alone is not None
    assert part.item.alone.css == ".jobs > li:nth-of-type(2)"
    paragraph = picked("<main><p>Zeus</p><p>Hera</p></main>", "Hera")
    assert paragraph.item is None
    assert paragraph.selectors == (paragraph.quote, paragraph.css)


@pytest.mark.parametrize("identity", ["id=job-{0}", 'data-id="{0}"', 'class="job" id=j{0}'])
def test_items_with_ids_that_count_are_a_list_too(identity: str) -> None:
    items = "".join(f"<li {identity.format(n)}>Job {n}x</li>" for n in (4711, 4712, 4713))
    part = picked(f"<main><ul class=jobs>{items}</ul></main>", "Job 4712x")
    assert part.item is not None
    assert (part.item.nth, part.item.count) == (2, 3)
    assert part.css is not None
    assert part.css.css == ".jobs"


def test_what_has_a_name_that_does_not_count_is_watched_alone() -> None:
    part = picked("<div class=row id=price>12</div><div class=row id=stock>Sold out</div>", "12")
    assert part.item is None
    assert part.css is not None
    assert part.css.css == "#price"


def test_around_and_inside_a_part_are_others() -> None:
    markup = "<main><div><ul class=jobs><li><b>Cook</b><li>Baker</ul></div><p>End</main>"
    page = tree_of(markup)
    part = picked(markup, "Cook")
    assert part.wider is not None
    assert page.tree.nodes[part.wider].tag == "ul"
    assert part.narrower is None
    item = picked_part(markup.encode(), "text/html", page.tree.parents[number_of(page, "Cook")])
    assert item is not None
    assert item.narrower == number_of(page, "Cook")


KINDS = st.sampled_from(["li class=job", "li", "div class=card", "article", "p", "a"])


@given(st.lists(KINDS, min_size=1, max_size=8), st.sampled_from(["ul", "main", "div", "section"]))
def test_a_new_item_before_it_changes_nothing_of_what_was_read(kinds: list[str], tag: str) -> None:
    """With one more item of the same kind, all that was read is still read, in its order."""
    items = [f"<{kind}>old{at}x</{kind.split()[0]}>" for at, kind in enumerate(kinds)]
    before = f"<{tag}>{''.join(items)}</{tag}>"
    after = f"<{tag}><{kinds[0]}>new</{kinds[0].split()[0]}>{''.join(items)}</{tag}>"
    for at in range(len(items)):
        part = picked(before, f"old{at}x")
        if part.item is None or part.css is None:
            continue
        read = [texts(each, part.css.css or "") for each in (before, after)]
        assert [each for each in read[1] if each != "new"] == read[0]


def texts(markup: str, css: str) -> list[str]:
    root = parsed_html(markup)
    assert root is not None
    found = root.css(css)
    return [
        text
        for node in found
        for each in node.traverse(include_text=True)
        if each.is_text_node and (text := (each.text_content or "").strip())
    ]
