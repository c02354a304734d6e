"""The form to add a watch, by requests: what it offers, and what becomes of its fields."""

import re

import pytest
from aiohttp import ClientSession

from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.vault import Vault
from connectors.page.add.add_form import AddForm, field_errors, read_form, request_body, with_part
from connectors.page.add.editing import form_of
from schemas.records.faults import format_fault, refusal_by
from schemas.records.previews import PickedPart
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options
from schemas.records.views import Quote, Selector
from tests.fakes.subscriptions import subscription
from tests.harness.page import NOW_S, SIGNING_KEY, ServedPage

TOKEN = re.compile(r'name="token" value="([^"]+)"')
URL = "http://127.0.0.1:1024/"
WORDS = Quote("12 €", "Price: ", " a month")
BOTH = PickedPart(Selector(css="#price"), Selector(quote=WORDS))


async def sent(http: ClientSession, served: ServedPage, **fields: str) -> str:
    async with http.get(f"{served.base}/add") as response:
        token = TOKEN.search(await response.text())
    assert token
    form = {"token": token[1], "url": URL, "interval": "600", **fields}
    headers = {"Origin": served.base}
    async with http.post(f"{served.base}/add", data=form, headers=headers) as response:
        return await response.text()


async def with_credentials(served: ServedPage, name: str, manager: str) -> None:
    vault = Vault(served.store.credentials, lambda: SIGNING_KEY, lambda: 1, lambda: NOW_S)
    given = parse_credentials({"for": "https://shop.test/", "header": "A: b"})
    await vault.put(manager, name, given)


async def test_the_form_offers_the_credentials_of_its_manager(
    served: ServedPage, http: ClientSession
) -> None:
    await with_credentials(served, "shop", "default")
    await with_credentials(served, "theirs", "other")
    async with http.get(f"{served.base}/add") as response:
        text = await response.text()
    assert '<option value="shop">shop (https://shop.test)</option>' in text
    assert "theirs" not in text


async def test_options_that_few_need_become_those_of_the_subscription(
    served: ServedPage, http: ClientSession
) -> None:
    await with_credentials(served, "shop", "default")
    await sent(
        http, served, do="subscribe", credentials="shop", screenshot="1", notices="1",
        failing_after="3", dropped="1",
        by="quote", part="#price", quote="12 €", prefix="Price: ", suffix=" a month",
    )  # fmt: skip
    [asked] = served.register.asked
    assert isinstance(asked, Subscribe)
    view = asked.options.view
    assert (view.credentials, view.render, view.screenshot) == ("shop", True, True)
    assert view.select == (Selector(quote=WORDS),)
    assert (asked.options.notify_failures, asked.options.failing_after) == (True, 3)
    assert asked.options.notify_dropped


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("url", "example", "Enter the address of a page"),
        ("url", "http://10.0.0.1/", "private or reserved"),
        ("webhook", "ftp://a.example/", "Enter the address of a webhook"),
        ("keywords", "...", "Enter a keyword with a letter"),
        ("keywords", "w" * 257, "At most 256 characters"),
        ("part", "p[", "It is no CSS selector: Malformed"),
        ("quote", "w" * 1001, "1 to 1,000 characters"),
        ("suffix", "w" * 201, "0 to 200 characters are allowed"),
        ("per_day", "0", "1 to 1000 notifications are allowed"),
        ("hours", "at night", "Days and times are expected, such as Mon-Fri 08:00-18:00"),
    ],
)
async def test_an_error_stands_at_its_field(
    served: ServedPage, http: ClientSession, field: str, value: str, error: str
) -> None:
    send = "webhook" if field in ("webhook", "hours", "per_day") else "here"
    by = "css" if field == "part" else "quote"
    text = await sent(
        http, served, do="subscribe", **{"quote": "x", "send": send, "by": by, field: value}
    )
    found = re.search(f'<p class="error" id="{field}-error">(.*?)</p>', text, re.DOTALL)
    assert found
    assert error in found[1]
    assert ("VOKTER_ALLOW_PRIVATE" in text) == ("private" in error)
    [element] = re.findall(f'<(?:input|textarea) id="{field}"[^>]*>', text)
    assert f'aria-invalid="true" aria-describedby="{field}-error' in element
    assert value in text


async def test_an_error_of_an_option_stands_at_its_field_though_the_group_is_folded(
    served: ServedPage, http: ClientSession
) -> None:
    text = await sent(http, served, do="subscribe", credentials="nobody")
    assert '<details class="field more" open>' in text
    assert re.search(r'id="credentials-error">There are no credentials &#39;nobody&#39;', text)
    assert "<option selected>nobody</option>" in text


async def test_all_wrong_fields_have_their_errors_at_once_and_the_first_the_focus(
    served: ServedPage, http: ClientSession
) -> None:
    wrong = {"keywords": "?!\nargus", "interval": "often", "unit": "hours", "tags": "x" * 51}
    wrong |= {"send": "webhook", "webhook": "ftp://a.example/", "part": "p[", "by": "css"}
    text = await sent(http, served, do="subscribe", credentials="nobody", **wrong)
    found = re.findall(r'<p class="error" id="(\w+)-error">', text)
    assert found == ["keywords", "webhook", "part", "interval", "tags", "credentials"]
    assert re.findall(r'<\w+ id="(\w+)"[^>]* autofocus', text) == ["keywords"]
    assert 'id="interval-error">A whole number is allowed' in text
    assert 'value="often"' in text
    assert served.register.asked == []


async def test_an_interval_in_any_unit_is_asked_for_in_seconds(
    served: ServedPage, http: ClientSession
) -> None:
    for number, unit, seconds in (("90", "seconds", 90), ("5", "hours", 18_000)):
        await sent(http, served, do="subscribe", interval=number, unit=unit, tags=unit)
        asked = served.register.asked.pop()
        assert isinstance(asked, Subscribe)
        assert asked.options.interval == seconds


async def test_an_interval_under_the_least_is_refused_with_the_least_and_its_reason(
    served: ServedPage, http: ClientSession
) -> None:
    text = await sent(http, served, do="subscribe", interval="5", unit="seconds")
    assert re.search(r'id="interval-error">60 to [\d,]+ seconds', text)
    assert re.search(r'id="interval" name="interval" value="5"', text)
    assert "At least 60 seconds" in text


@pytest.mark.parametrize(
    ("by", "part", "chosen"),
    [
        ("css", BOTH, "css"),
        ("quote", BOTH, "quote"),
        ("quote", PickedPart(BOTH.css, None), "css"),
        ("css", PickedPart(None, BOTH.quote), "quote"),
    ],
)
def test_a_picked_part_fills_the_form_and_keeps_the_way_that_was_chosen(
    by: str, part: PickedPart, chosen: str
) -> None:
    form = with_part(AddForm(by=by, part="old", quote="old", prefix="old"), part)
    assert form.by == chosen
    assert form.part == ("#price" if part.css else "")
    words = (form.quote, form.prefix, form.suffix)
    assert words == (("12 €", "Price: ", " a month") if part.quote else ("", "", ""))


def test_blanks_around_a_quote_belong_to_it_and_those_around_words_do_not() -> None:
    form = read_form({"by": "quote", "quote": " 12 € ", "prefix": "Price: ", "suffix": " a month"})
    assert request_body(form)["view"]["select"] == [
        {"quote": {"exact": "12 €", "prefix": "Price: ", "suffix": " a month"}}
    ]


@pytest.mark.parametrize(
    ("where", "field"),
    [
        ("view.select[0].css", "part"),
        ("view.select[0].quote.exact", "quote"),
        ("view.select[0].quote.suffix", "suffix"),
        ("view.select[0].quote", "quote"),
        ("view.credentials", "credentials"),
        ("view.waitFor, view.screenshot", "screenshot"),
        ("elsewhere", ""),
    ],
)
def test_an_error_is_about_a_field(where: str, field: str) -> None:
    refusal = refusal_by([format_fault(f"{where}: no")])
    assert field_errors(refusal) == {field: "No" if field else "Elsewhere: no"}


def test_a_rule_and_a_summary_are_options_of_the_request_and_are_edited() -> None:
    fields = {"url": URL, "rule": " only gods ", "summary": "1", "summary_wish": "as a table"}
    body = request_body(read_form({**fields, "summary_language": "de"}))
    without = request_body(read_form({"url": URL, "summary_wish": "as a table"}))

    assert (body["rule"], body["summary"], body["summaryWish"]) == ("only gods", True, "as a table")
    assert body["summaryLanguage"] == "de"
    assert not {"rule", "summary", "summaryWish", "summaryLanguage"} & without.keys()
    options = Options(rule="only gods", summary=True, summary_wish="as a table")
    form = form_of(subscription(options=options))
    assert (form.rule, form.summary, form.summary_wish) == ("only gods", True, "as a table")


@pytest.mark.parametrize("fields", [{}, {"rule": "only gods"}])
async def test_the_form_has_a_rule_where_there_is_a_model_or_a_rule_already(
    served: ServedPage, http: ClientSession, fields: dict[str, str]
) -> None:
    page = await sent(http, served, **fields, do="preview")

    assert ("Rule in plain words" in page) == bool(fields)
