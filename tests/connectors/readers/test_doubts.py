"""Quotes that would lose their passage after a change of it."""

import json

import pytest

from connectors.readers.doubts import quote_doubt
from connectors.readers.quotes import found_quote
from schemas.records.views import Quote

SHOP = "\n".join(
    f"{name}\nPrice: {price} €\nIn stock"
    for name, price in (("Tea from Assam", 4), ("Rum of Jamaica", 15), ("Oil of Crete", 5))
)


@pytest.mark.parametrize("exact", ["4 €", "15 €", "Price: 5 €"])
def test_a_price_alone_is_in_doubt_and_the_context_that_is_said_holds_it(exact: str) -> None:
    doubt = quote_doubt(SHOP, Quote(exact))
    assert doubt.startswith("after a change of it ")
    context = json.loads("{" + doubt.partition(": add ")[2] + "}")
    quote = Quote(exact, **context)
    assert quote_doubt(SHOP, quote) == ""
    later = SHOP.replace(exact, "77 €")
    found = found_quote(later, quote)
    assert found is not None
    assert "77 €" in later[slice(*found.span)]


def test_a_passage_of_many_words_holds_itself() -> None:
    text = "The giant with a hundred eyes guards the cow Io.\n" + SHOP
    assert quote_doubt(text, Quote("The giant with a hundred eyes guards the cow Io.")) == ""


def test_what_is_everywhere_alike_has_no_context_that_holds_it() -> None:
    text = "\n".join(["In stock"] * 200)
    assert quote_doubt(text, Quote("In stock")) == "after a change of it another passage is found"


def test_what_is_not_there_is_no_doubt() -> None:
    assert quote_doubt(SHOP, Quote("Ambrosia of Olympus")) == ""
