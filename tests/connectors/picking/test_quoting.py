"""The quote of an element finds what the element shows, in the page as it is read."""

import pytest

from connectors.picking.page_tree import page_tree
from connectors.picking.picker import MAX_QUOTE, quote_of
from connectors.readers.html import html_text, parsed_html
from connectors.readers.normalization import normalized_page
from connectors.readers.quotes import found_quote
from schemas.records.views import Quote

PAGE = """<title>Shop</title><nav><a href=/>Home</a></nav><main><h1>Giants</h1>
<p>Argus costs <b id=x>12 €</b> a month and Io <b>12 €</b> a year, which is less than last year.</p>
<ul><li>  one <li>two<li>ﬁve</ul><table><tr><td>a<td>b</table><p hidden>no</p></main>"""


def number_of(markup: str, css: str) -> int:
    root = parsed_html(markup)
    assert root is not None
    [node] = root.css(css)
    return [each.mem_id for each in page_tree(root).nodes].index(node.mem_id)


@pytest.mark.parametrize(
    ("css", "exact"),
    [
        ("#x", "12 €"),
        ("#x + b", "12 €"),
        ("h1", "Giants"),
        ("li:first-child", "one"),
        ("ul", "one two five"),
        ("td:last-child", "b"),
        ("tr", "a b"),
    ],
)
def test_a_quote_finds_what_its_element_shows(css: str, exact: str) -> None:
    quote = quote_of(PAGE, number_of(PAGE, css))
    assert quote is not None
    assert quote.exact == exact
    text = normalized_page(html_text(PAGE)).text
    found = found_quote(text, quote)
    assert found is not None
    assert " ".join(text[slice(*found.span)].split()) == exact
    assert found.confidence == 1.0


def test_words_around_a_quote_tell_it_from_the_same_words_elsewhere() -> None:
    first, second = (quote_of(PAGE, number_of(PAGE, css)) for css in ("#x", "#x + b"))
    assert first is not None
    assert second is not None
    assert first.prefix == "Shop Home Giants Argus costs "
    assert first.suffix.startswith(" a month and Io 12 € a year,")
    assert second.prefix.endswith("a month and Io ")


def test_context_is_cut_between_words() -> None:
    page = f"<p>{'giant ' * 50}<b>Argus</b>{' sleeps' * 50}</p>"
    quote = quote_of(page, number_of(page, "b"))
    assert quote is not None
    assert set(quote.prefix.split()) == {"giant"}
    assert set(quote.suffix.split()) == {"sleeps"}


@pytest.mark.parametrize("inner", ["", "x" * (MAX_QUOTE + 1), "<img src=x>", "<i hidden>no</i>"])
def test_what_shows_nothing_or_too_much_has_no_quote(inner: str) -> None:
    page = f"<main><p>Zeus</p><div>{inner}</div></main>"
    assert quote_of(page, number_of(page, "div")) is None


def test_a_page_with_the_marks_of_quoting_is_read_as_without() -> None:
    page = "<p>\ufdd0Zeus\ufdd1 and <b>Hera</b>"
    assert quote_of(page, number_of(page, "b")) == Quote("Hera", "Zeus and ", "")
