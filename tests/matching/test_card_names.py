"""Who follows the name of a card or record is notified of its values."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.reading import read_document
from schemas.records.changes import Diff
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher


def diffs(old: str, new: str, keyword: str, kind: str, **options: object) -> tuple[Diff, ...]:
    before, after = (read_document(each.encode(), None, kind) for each in (old, new))
    matcher = Matcher(changed_regions(before.text, after.text, after.headings), "en")
    subscription = Subscription(
        id="s", watch="w", manager="m", document_url="http://e.test/", url="http://e.test/",
        receiver=Receiver("http://e.test/"), keywords=(keyword,), created=0,
        options=Options(**options),  # type: ignore[arg-type]
    )  # fmt: skip
    return matcher.diffs(subscription)[0]


def cards(price: str, state: str = "In stock") -> str:
    chair = f"<article><h3>Chair</h3><p>{price}</p><p>{state}</p></article>"
    return f"<h1>Shop</h1>{chair}<article><h3>Lamp</h3><p>20 €</p></article>"


def div_cards(price: str) -> str:
    card = "<div class='card'><h3>{}</h3><ul><li>oak<li>black</ul><p>{}</p></div>"
    return f"<h1>Shop</h1>{card.format('Chair', price)}{card.format('Lamp', '20 €')}"


def product(price: str) -> str:
    return f"<nav>Shop</nav><h1>Chair</h1><ul><li>oak<li>black</ul><p>{price}</p><h2>Lamp</h2>"


def record(price: int) -> str:
    return json.dumps([{"price": price, "title": "Chair"}, {"price": 3, "title": "Lamp"}])


CARDS = [
    "<div><p><b>{}</b></p><p>{}</p><p>{}</p></div>",
    "<div><div><a href=/>{}</a></div><div>{}</div><div>{}</div></div>",
    "<li>{}<br>{}<br>{}</li>",
    "<li><div>{}</div><div>{}</div><div>{}</div></li>",
    "<article><p>{}</p><p>{}</p><p>{}</p></article>",
]
COURSES = {
    "Clay": ("Monday", "12 left"),
    "Print": ("Friday", "2 left"),
    "Ink": ("Sunday", "7 left"),
}
STOCK = {"Lamp": ("20 €", "Sold out"), "Chair": ("30 €", "In stock"), "Desk": ("9 €", "In stock")}


def without_headings(card: str, **changed: tuple[str, str]) -> str:
    stock = (STOCK | changed).items()
    return f"<h1>Shop</h1>{''.join(card.format(name, *values) for name, values in stock)}"


@pytest.mark.parametrize("card", CARDS)
def test_the_first_line_of_a_card_without_a_heading_names_its_values(card: str) -> None:
    old, new = without_headings(card), without_headings(card, Chair=("25 €", "Sold out"))
    found = diffs(old, new, "Chair", "text/html")
    assert {each.headings for each in found} == {("Shop", "Chair")}
    texts = " ".join(each.text for each in found)
    assert all(value in texts for value in ("30 €", "25 €", "In stock", "Sold out"))
    assert diffs(old, new, "Lamp", "text/html") == ()
    assert diffs(old, new, "Desk", "text/html") == ()


def test_a_line_of_a_card_that_left_is_not_below_the_name_of_the_card_before() -> None:
    card = "<div><b>{0} is here</b><div>by {1}</div></div>"
    names = ("Zeus", "Hera", "Io", "Argus", "Leto")
    old, new = (
        "".join(card.format(name, "Homer") for name in several)
        for several in (names, ("Pan", *names[:-1]))
    )
    found = diffs(old, new, "*", "text/html")
    assert [each.event for each in found] == ["added", "removed"]
    assert {each.headings for each in found} == {()}


@given(
    names=st.permutations(["Lamp", "Chair", "Desk", "Sofa", "Bed", "Shelf"]),
    count=st.integers(3, 6),
    card=st.sampled_from(CARDS),
    states=st.lists(st.sampled_from(["Sold out", "In stock"]), min_size=6, max_size=6),
    data=st.data(),
)
def test_a_price_concerns_its_own_card_alone(
    names: list[str], count: int, card: str, states: list[str], data: st.DataObject
) -> None:
    changed = data.draw(st.integers(0, count - 1))

    def shop(price: int) -> str:
        prices = [price if at == changed else 20 + at for at in range(count)]
        cards = zip(names, prices, states, strict=False)
        return "".join(card.format(name, f"{value} €", state) for name, value, state in cards)

    for at, name in enumerate(names[:count]):
        events = [each.event for each in diffs(shop(50), shop(48), name, "text/html")]
        assert events == (["removed", "added"] if at == changed else [])


@pytest.mark.parametrize("card", CARDS)
def test_states_that_cards_without_headings_exchange_are_told_of_both_names(card: str) -> None:
    exchanged = {"Lamp": ("20 €", "In stock"), "Chair": ("30 €", "Sold out")}
    old, new = without_headings(card), without_headings(card, **exchanged)
    for name in exchanged:
        found = diffs(old, new, name, "text/html")
        assert [each.event for each in found] == ["removed", "added"]
        assert {each.headings for each in found} == {("Shop", name)}


@pytest.mark.parametrize(
    "page",
    [
        "<nav>{}</nav>".format(
            "".join(f"<p>{each}" for each in ("Home", "Tea", "{}", "Shop", "Us"))
        ),
        "<p>Sport<p>Bayern wins<p>Culture<p>Opera opens<p>Sport<p>{}<p>Culture<p>Goya is shown",
        "<h2>Wood</h2><p>oak<p>{}<p>pine<p>fir",
        "<nav><ul><li>Tea<li>{0}<li>Us</ul></nav><main><ul><li>Tea<li>{0}<li>Us</ul></main>",
    ],
)
def test_a_line_above_another_in_a_list_is_no_name(page: str) -> None:
    old, new = page.format("Dortmund loses"), page.format("Hamburg draws")
    for name in ("Tea", "Culture", "Opera", "Bayern", "oak"):
        assert diffs(old, new, name, "text/html") == ()


@pytest.mark.parametrize(
    ("old", "new", "kind", "texts"),
    [
        (cards("30 €"), cards("25 €"), "text/html", ["30 €", "25 €"]),
        (cards("30 €"), cards("30 €", "Sold out"), "text/html", ["In stock", "Sold out"]),
        (div_cards("30 €"), div_cards("25 €"), "text/html", ["30 €", "25 €"]),
        (product("30 €"), product("25 €"), "text/html", ["30 €", "25 €"]),
        (record(30), record(25), "application/json", ["price: 30", "price: 25"]),
    ],
)
def test_a_value_concerns_who_follows_the_name_of_its_card_alone(
    old: str, new: str, kind: str, texts: list[str]
) -> None:
    assert [each.text for each in diffs(old, new, "Chair", kind)] == texts
    assert diffs(old, new, "Lamp", kind) == ()
    assert diffs(old, new, "Shop", kind) == ()
    assert diffs(old, new, "Chair", kind, scope="change") == ()


def test_words_of_a_keyword_may_be_in_the_name_and_in_the_value() -> None:
    pages = cards("30 €"), cards("30 €", "Sold out")
    found = diffs(*pages, "chair sold", "text/html", ignore_case=True)
    assert [each.text for each in found] == ["Sold out"]


def test_a_counter_below_a_name_is_noise() -> None:
    pages = cards("30 left"), cards("25 left")
    assert len(diffs(*pages, "Chair", "text/html")) == 2
    assert diffs(*pages, "Chair", "text/html", ignore_noise=True) == ()


def test_a_count_of_a_hundred_things_or_more_concerns_no_name() -> None:
    pages = cards("126.704 views"), cards("127.577 views")
    assert diffs(*pages, "Chair", "text/html") == ()
    assert len(diffs(*pages, "views", "text/html")) == 2


def test_a_row_that_came_is_no_value_of_the_heading_above() -> None:
    page = "<h2>Releases</h2><table>{}<tr><td>2.0<td>May 8<tr><td>1.0<td>April 2</table>"
    pages = page.format(""), page.format("<tr><td>2.1<td>June 1")
    assert diffs(*pages, "Releases", "text/html") == ()
    assert [each.text for each in diffs(*pages, "June", "text/html")] == ["2.1\tJune 1"]


def test_a_row_of_several_cells_is_no_value_of_the_heading_above() -> None:
    page = "<h2>Chair</h2><table><tr><td>Oak<td>{}<td>In stock<tr><td>Ash<td>30 €<td>Sold out"
    pages = page.format("20 €"), page.format("25 €")
    assert diffs(*pages, "Chair", "text/html") == ()
    assert len(diffs(*pages, "Oak", "text/html")) == 2


def test_the_first_line_of_a_card_in_a_list_names_it_though_others_differ_as_well() -> None:
    page = "".join(CARDS[2].format(name, *values) for name, values in COURSES.items())
    new = page.replace(">2 left", ">Fully booked")
    assert [each.text for each in diffs(page, new, "Print", "text/html")] == [
        "2 left",
        "Fully booked",
    ]
    assert diffs(page, new, "Friday", "text/html") == ()


def test_a_sentence_of_a_section_is_no_value() -> None:
    page = "<h2>Cookies</h2><p>We use them on our site for many {} that you may like.</p>"
    assert diffs(page.format("reasons"), page.format("purposes"), "Cookies", "text/html") == ()


def test_a_name_that_is_new_itself_is_reported_once() -> None:
    new = cards("30 €") + "<article><h3>Desk</h3><p>40 €</p></article>"
    assert [each.text for each in diffs(cards("30 €"), new, "Desk", "text/html")] == ["Desk"]


def test_a_name_of_another_record_in_the_block_is_none_of_a_value() -> None:
    def page(day: int) -> str:
        fields = {"name": "Oslo"}, {"name": "Rome", "date": f"2024-09-1{day}"}
        return json.dumps({"cities": dict(zip(("north", "south"), fields, strict=True))})

    assert diffs(page(1), page(2), "Oslo", "application/json") == ()
    assert len(diffs(page(1), page(2), "Rome", "application/json")) == 2


def test_the_label_of_a_record_is_no_news_if_another_with_it_went() -> None:
    def page(*videos: tuple[str, str]) -> str:
        return json.dumps(
            [{"url": f"/{name}", "title": name, "rated": who} for name, who in videos]
        )

    old = page(("Tea", "all"), ("Rye", "adults"), ("Oak", "all"))
    new = page(("Ink", "pupils"), ("Tea", "all"), ("Rye", "adults"))
    assert diffs(old, new, "rated", "application/json", notify_dropped=True) == ()
    found = diffs(old, new, "rated pupils", "application/json")
    assert [each.text for each in found] == ["rated: pupils"]
    assert len(diffs(page(("Tea", "all")), new, "rated", "application/json")) == 2
