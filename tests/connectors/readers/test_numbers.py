"""The number of a view, as real pages write it."""

from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.errors import NothingSelected
from connectors.readers.numbers.finding import MAX_NUMBERS
from connectors.readers.numbers.reading import decimal_text, number_in
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.fields import record_fields
from schemas.records.numbers import NumberOptions, NumberPoint, NumberReading
from schemas.records.views import Selector, View

PLAIN = NumberOptions()
CHAIR = View(select=(Selector(css="#p"),), number=PLAIN)
NUMBERS = next(each for each in record_fields(NumberPoint) if each.name == "value")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1.234,56 €", "de", "1234.56 EUR"),
        ("USD 1,234.56", "en", "1234.56 USD"),
        ("₹1,23,456", "en-IN", "123456 INR"),
        ("12 490 Kč", "cs", "12490 CZK"),
        ("1 234,56 €", "fr", "1234.56 EUR"),
        ("1\u2019234.50 CHF", "de-CH", "1234.50 CHF"),
        ("CHF 49.\u2013", "de-CH", "49 CHF"),
        ("R$ 1.299,90", "pt-BR", "1299.90 BRL"),
        ("¥12,800", "ja", "12800 JPY"),
        ("Preis: 12,- €", "de", "12 EUR"),
        ("from $5", "en", "5 USD"),
        ("199 kr", "nb", "199 NOK"),
        ("3,5 %", "de", "3.5 %"),
        ("1.299", "de", "1299"),
        ("1.299", "en", "1.299"),
        ("0,999", "en", "0.999"),
        ("1.234.567", "de", "1234567"),
        ("KWD 1.250", "en", "1.25 KWD"),
        ("-5,00 €", "de", "-5 EUR"),
        ("-$5.20", "en", "-5.20 USD"),
        ("\u22125.00", "en", "-5"),
        ("\u0663\u066c\u0664\u0665\u0666\u066b\u0665\u0660", "ar", "3456.5"),
        ("iPhone 15 Pro, 256 GB: €1,299.00", "en", "1299 EUR"),
        ("price: 1.299", "zxx", "1.299"),
        ("1299EUR", "", "1299 EUR"),
        (f"{'9' * 30} €", "", f"{'9' * 30} EUR"),
        ("1 299,00 €", "en", "1299 EUR"),
        ("12,50 Euros", "de", "12.50 EUR"),
        ("1,299 ج.م", "ar", "1299 EGP"),
        ("KD 12.500", "en", "12.50 KWD"),
        ("12 500₸", "en", "12500 KZT"),
        ("1 299 руб.", "en", "1299 RUB"),  # noqa: RUF001 - Cyrillic
        ("$1 299.00", "en", "1299 USD"),
        ("Price: 1 299 €", "en", "1299 EUR"),
        ("Prix 1 299 €", "fr", "1299 EUR"),
        ("1 234 567 views", "en", "1234567"),
        ("1 \u0301299.00 CHF", "de-CH", "1299 CHF"),
        ("12€50", "en", "12.50 EUR"),
        ("19 € 99", "fr", "19.99 EUR"),
        ("Prix : 1 299 € 00\nLivraison", "fr", "1299 EUR"),
        ("R 1 299", "en-ZA", "1299 ZAR"),
        ("R12,999.00", "en", "12999 ZAR"),
        ("Model R 12", "en", "12"),
        ("Q129.00", "es-GT", "129 GTQ"),
        ("Precio: Q.1,299.50", "es", "1299.50 GTQ"),
        ("Q3 2026", "en", "2026"),
        ("99¢", "en", "0.99 USD"),
        ("5 ¢ each", "en-CA", "0.05 CAD"),
        ("$1.99 (12¢ per oz)", "en", "1.99 USD"),
        ("19 ,99 €", "de", "19.99 EUR"),
        ("$.99", "en", "0.99 USD"),
        (",99 €", "en", "0.99 EUR"),
        ("$9.99 CAD", "en", "9.99 CAD"),
        ("CAD $9.99", "en", "9.99 CAD"),
        ("CDN$ 9.99", "en", "9.99 CAD"),
        ("CA $9.99", "en", "9.99 CAD"),
        ("US $9.99", "en", "9.99 USD"),
        ("9,99 $US", "fr", "9.99 USD"),
        ("MXN$1,299", "en", "1299 MXN"),
        ("CLP$ 12.900", "en", "12900 CLP"),
        ("$12.900", "es-CL", "12900 CLP"),
        ("S/.129,00", "en", "129 PEN"),
        ("S/ 1,299.00", "es-PE", "1299 PEN"),
        ("RD$1,299.00", "en", "1299 DOP"),
        ("Rp 129.900", "id", "129900 IDR"),
        ("1299 Euro", "de", "1299 EUR"),
        ("SKU $9.99", "en", "9.99 USD"),
        ("$9.99 NEW", "en", "9.99 USD"),
        ("2,49 € (4,98 €/kg)", "de", "2.49 EUR"),
        ("4,98 €/kg 2,49 €", "de", "2.49 EUR"),
        ("1 kg = 4,98 € 2,49 €", "de", "2.49 EUR"),
        ("4,98 € / 100 g", "de", "4.98 EUR"),
        (f"-{'123456789' * 3}123", "", f"-{'123456789' * 3}123"),
        ("-,99 €", "de", "0.99 EUR"),
        ("19,99* €", "de", "19.99 EUR"),
        ("1,299 บาท", "th", "1299 THB"),
        ("GH₵ 99.00", "en", "99 GHS"),
        ("E£ 99", "en", "99 EGP"),
        ("1.299,00 din", "sr", "1299 RSD"),
    ],
)
def test_a_number_is_read_as_its_page_writes_it(text: str, language: str, expected: str) -> None:
    reading = number_in(text, PLAIN, language)
    assert str(reading) == expected
    assert reading.doubts == ()


@pytest.mark.parametrize(
    ("text", "language", "expected", "doubt"),
    [
        ("1.299", "", "1299", "1.299 is read as 1299; it may be 1.299 (view.number.locale)"),
        ("1.299 €", "en", "1299 EUR", "it may be 1.299 (view.number.locale)"),
        ("was $20 now $15", "en", "20 USD", "of $20, $15 the first is read (view.number.pick)"),
        ("10 - 20 €", "de", "10 EUR", "of 10, 20 € the first is read (view.number.pick)"),
        ("$1.5M", "en", "1.50 USD", "'M' after $1.5 is not read"),
        ("iPhone 15 299 €", "en", "15299 EUR", "15 299 is read as one number; it may be two"),
        ("iPhone 15 299 €", "de", "15299 EUR", "15 299 is read as one number; it may be two"),
        ("$5 300 reviews", "en", "5300 USD", "5 300 is read as one number; it may be two"),
        ("5 300", "en", "5300", "5 300 is read as one number; it may be two"),
        ("Chapter 5 300 pages", "en", "5", "of 5, 300 the first is read"),
        ("19 € 99 au total", "fr", "19 EUR", "19 is read by itself; it may go with the number"),
        ("$19 99", "en", "19 USD", "19 is read by itself; it may go with the number next to it"),
        ("19\n99 €", "de", "99 EUR", "99 is read by itself; it may go with the number next to it"),
        ("$ 12.900", "es", "12900 USD", "it may be CAD, AUD, NZD, MXN"),
        ("1199 EUR\n1299.00 EUR", "zxx", "1199 EUR", "of 1199 EUR, 1299.00 EUR the first"),
        ("1 299 € 1 499 €", "fr", "1299 EUR", "of 1 299 €, 1 499 € the first"),
        ("199 kr", "en", "199 SEK", "it may be NOK, DKK, ISK (view.number.currency)"),
    ],
)
def test_what_else_a_number_could_mean_is_a_doubt(
    text: str, language: str, expected: str, doubt: str
) -> None:
    reading = number_in(text, PLAIN, language)
    assert str(reading) == expected
    assert [each for each in reading.doubts if doubt in each]


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        (NumberOptions(pick="last"), "was $20 now $15", "15 USD"),
        (NumberOptions(pick="lowest"), "$20, $15, $17", "15 USD"),
        (NumberOptions(pick="highest"), "$15, $20, $17", "20 USD"),
        (NumberOptions(locale="en"), "1.299 €", "1.299 EUR"),
        (NumberOptions(locale="de"), "1,299 €", "1.299 EUR"),
        (NumberOptions(currency="EUR"), "$20 (18,50 €)", "18.50 EUR"),
        (NumberOptions(currency="CAD"), "$20", "20 CAD"),
        (NumberOptions(currency="EUR"), "now 20", "20 EUR"),
    ],
)
def test_a_client_may_say_which_number_and_how_it_is_written(
    options: NumberOptions, text: str, expected: str
) -> None:
    assert str(number_in(text, options, "en")) == expected


@pytest.mark.parametrize(
    ("options", "text", "reason"),
    [
        (PLAIN, "out of stock", "there is no number in 'out of stock' (view.number)"),
        (PLAIN, "Version 1.2.3 of 24.12.2026, 12:30", "there is no number in"),
        (NumberOptions(currency="EUR"), "$20", "no number in EUR, only $20"),
    ],
)
def test_a_text_without_the_number_says_what_is_there(
    options: NumberOptions, text: str, reason: str
) -> None:
    with pytest.raises(NothingSelected) as raised:
        number_in(text, options, "en")
    assert reason in str(raised.value)


@given(st.decimals(-(10**12), 10**12, places=2))
def test_every_number_is_read_back_as_it_was_written(value: Decimal) -> None:
    for written, language in ((f"{value:,}", "en"), (f"{value:,}".translate(_SWAPPED), "de")):
        reading = number_in(f"{written} EUR", PLAIN, language)
        assert Decimal(reading.value) == value
        assert reading.value == decimal_text(value, "EUR")


_SWAPPED = str.maketrans(",.", ".,")


@given(st.text(alphabet="0123456789.,-'\u2019 \n€$kr%aE/:", max_size=200))
def test_any_text_has_a_number_or_a_reason(text: str) -> None:
    try:
        value = number_in(text, PLAIN, "").value
    except NothingSelected:
        value = "0"
    assert NUMBERS.allows(value)


def test_a_text_of_many_numbers_is_read_up_to_a_bound() -> None:
    assert number_in("7 " * 10**6, NumberOptions(pick="last"), "en").value == "7"
    assert MAX_NUMBERS == 1_000


def shown_number(markup: str, view: View = CHAIR) -> NumberReading:
    page = f"<html lang=en><body><div id=p>{markup}</div>"
    (reading,) = read_views(page.encode(), "text/html; charset=utf-8", [view])
    assert isinstance(reading, Reading)
    assert reading.number is not None
    return reading.number


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("$19<sup>99</sup>", "19.99 USD"),
        ("<sup>$</sup>19<sup>99</sup>", "19.99 USD"),
        ("$ 1,299<sup>00</sup>", "1299 USD"),
        ("1.299<sup>00</sup> €", "1299 EUR"),
        ("19<sup>99</sup>€", "19.99 EUR"),
        ("19 <sup> 99 </sup> €", "19.99 EUR"),
        ("19<sup>,99</sup> €", "19.99 EUR"),
        ("19<sup>99 €</sup>", "19.99 EUR"),
        ("19<sup>€99</sup>", "19.99 EUR"),
        ("12 €<sup>50</sup>", "12.50 EUR"),
        ('<span>19</span><span class="price-cents">99</span> €', "19.99 EUR"),
        ('$19<span style="vertical-align: super">99</span>', "19.99 USD"),
        ('<b style="font-size:2em">19</b><span style="font-size:.5em">99</span> €', "19.99 EUR"),
        ('<div>19</div><div class="Fraction">99</div>', "19.99"),
        ("$19.<sup>99</sup>", "19.99 USD"),
        ("$19<small>.99</small>", "19.99 USD"),
        ("$1,299.00<sup>1</sup>", "1299 USD"),
        ("$1299<sup>[2]</sup>", "1299 USD"),
        ("1.79<sup>9</sup> €", "1.799 EUR"),
        ("<del>€1,499</del> €1,299", "1299 EUR"),
        ('<b style="text-decoration: line-through">20 €</b> 15 €', "15 EUR"),
        ("<s>20 €</s>", "20 EUR"),
        ("1&thinsp;299,00&nbsp;€", "1299 EUR"),
        ("<b aria-hidden=true><i>$19</i><i>99</i></b> <b>$19.99</b>", "19.99 USD"),
        ("<b>$19.99</b> <b aria-hidden=true><i>$19</i><i>99</i></b>", "19.99 USD"),
        ("19<sup>95*</sup> €", "19.95 EUR"),
    ],
)
def test_markup_says_which_digits_are_cents_notes_and_prices_of_before(
    markup: str, expected: str
) -> None:
    reading = shown_number(markup)
    assert str(reading) == expected
    assert reading.doubts == ()


def test_a_price_of_before_is_read_where_it_is_selected() -> None:
    view = View(select=(Selector(css="del"),), number=PLAIN)
    assert str(shown_number("<del>€1,499</del> €1,299", view)) == "1499 EUR"


def test_the_text_of_other_views_keeps_its_digits_as_they_are() -> None:
    page = b"<p>2<sup>10</sup> bytes, <del>5</del></p>"
    whole, number = read_views(page, "text/html", [View(), View(number=NumberOptions("text"))])
    assert isinstance(whole, Reading)
    assert isinstance(number, Reading)
    assert whole.text == "210 bytes, 5"
    assert number.number is not None


@pytest.mark.parametrize("text", ["9 ", "1 234 ", "9€", "1.2", "$", "9", "9'", ",9 ", "kg = "])
def test_no_text_takes_the_square_of_its_length(text: str) -> None:
    with suppress(NothingSelected):
        number_in(text * 50_000, PLAIN, "en")  # with its square it would not end
