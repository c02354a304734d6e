"""Whether a product is in stock: by the terms of schema.org, else by the words near its price."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from unicodedata import normalize

from connectors.readers.numbers.finding import found_numbers
from connectors.readers.numbers.locales import locale_of
from connectors.readers.page_text import PageText
from connectors.readers.stock_words import PHRASES, TERMS, WHOLE_LINES
from schemas.records.numbers import PERCENT
from schemas.records.stocks import STOCKS

MAX_TEXT = 20_000
"""The most characters of a section to examine."""
_NO_LETTERS = re.compile(r"[^a-z]")
_LABEL = re.compile(r"^[^:]{1,30}:\s*")
"""The label before the value in a line such as "Availability: yes"."""


def best_stock(terms: Iterable[str]) -> str:
    """Return the stock of the easiest to get, by terms of schema.org; empty if unknown.

    >>> best_stock(["https://schema.org/OutOfStock", "http://schema.org/InStock"])
    'In stock'
    >>> best_stock(["oos"])
    'Out of stock'
    """
    known = (TERMS.get(_NO_LETTERS.sub("", _last_part(each).lower())) for each in terms)
    return min(filter(None, known), key=STOCKS.index, default="")


def _last_part(term: str) -> str:
    return term.rpartition("/")[2].rpartition(":")[2]


def stock_in(text: str) -> str | None:
    """Return the first stock stated in words in a text; None if there is none.

    >>> stock_in("Derzeit nicht auf Lager"), stock_in("在庫あり"), stock_in("Lamp")
    ('Out of stock', 'In stock', None)
    """
    return next((state for _, state in _stated(text)), None)


def _stated(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with a stock, by number, with the stock."""
    for at, line in enumerate(normalize("NFKC", text[:MAX_TEXT]).casefold().split("\n")):
        value = _LABEL.sub("", line.strip(" .!•✓✔✗✘\t"))
        term = "" if " " in value else _NO_LETTERS.sub("", _last_part(value))
        whole = WHOLE_LINES.get(value) or TERMS.get(term)
        found = PHRASES.search(line)
        if whole or found:
            yield at, whole or STOCKS[int(str(found and found.lastgroup).removeprefix("s"))]


def around_price(page: PageText) -> PageText:
    """Return a page with only the line about the stock of its product, if there is such a line.

    The search runs from the main heading to the next, else through the section of the first price:
    related products have further sections. The line nearest to the price counts.
    """
    for start, end in _sections(page):
        text = page.text[start:end]
        priced = next(_priced_lines(text, page.language), 0)
        stated = [at for at, _ in _stated(text)]
        if stated:
            nearest = min(stated, key=lambda at: abs(at - priced))
            return replace(page, text=text.split("\n")[nearest], headings=())
    return replace(page, text="", headings=())


def _sections(page: PageText) -> Iterator[tuple[int, int]]:
    """Yield the section of the main heading, and the section of the first price below."""
    starts = [each.start for each in page.headings]
    main = next((each.start for each in page.headings if each.level == 1), 0)
    bounds = [*starts, len(page.text)]
    yield main, next((each for each in bounds if each > main), len(page.text))
    rest = [main, *(each for each in starts if each > main), len(page.text)]
    for start, end in pairwise(rest):
        if any(_priced_lines(page.text[start:end], page.language)):
            yield start, end
            return


def _priced_lines(text: str, language: str) -> Iterator[int]:
    """Yield the lines with a price, by number."""
    locale = locale_of("", language)
    for at, line in enumerate(text[:MAX_TEXT].split("\n")):
        if any(each.unit not in ("", PERCENT) for each in found_numbers(line, locale, "")):
            yield at
