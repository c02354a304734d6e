"""The number of a view, as real pages write it."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.errors import NothingSelected
from connectors.readers.numbers.finding import MAX_NUMBERS
from connectors.readers.numbers.reading import decimal_text, number_in
from schemas.records.fields import record_fields
from schemas.records.numbers import NumberOptions, NumberPoint

PLAIN = NumberOptions()
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
        (f"-{'123456789' * 3}123", "", f"-{'123456789' * 3}123"),
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
