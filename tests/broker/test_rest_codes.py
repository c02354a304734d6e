"""Every code of the REST API, with its exact status and message."""

from typing import Any

import pytest

from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.rest import OK, Rest

DOCUMENT = (400, "1", "The provided document URL is invalid.")
CLIENT = (400, "2", "The provided client URL is invalid.")
KEYWORD = (400, "3", "You need to provide at least one valid keyword.")
EVENTS = (
    400,
    "4",
    "At least one difference event ('added' or 'removed') must not be ignored.",
)
CONFLICT = (
    409,
    "5",
    (
        "The request conflicts with an existing active job, since the provided document URL is "
        "already being watched and notified to the provided client URL."
    ),
)
FORMAT = (415, "6", "The request body has an invalid format.")
NOT_FOUND = (404, "7", "The specified job to cancel does not exist.")

GOOD = {
    "documentUrl": "http://127.0.0.1:1024/page",
    "clientUrl": "http://127.0.0.1:1024/hook",
    "keywords": ["argus"],
}
OUT_OF_RANGE: list[tuple[str, Any]] = [
    ("documentUrl", 7),
    ("clientUrl", ["http://127.0.0.1/hook"]),
    ("keywords", "argus"),
    ("keywords", ["argus", 7]),
    ("keywords", ["word"] * 101),
    ("keywords", ["x" * 257]),
    ("documentContentType", True),
    ("maxFailures", 0),
    ("maxFailures", "no"),
    ("onStatus", 404),
    ("onStatus", [200]),
    ("onStatus", ["404"]),
    ("onStatus", [404] * 21),
    ("interval", 0),
    ("interval", "600"),
    ("interval", 600.5),
    ("ignoreAdded", "yes"),
    ("ignoreRemoved", 1),
    ("enableStemming", 0),
    ("filterStopwords", "false"),
    ("ignoreCase", {}),
    ("snippetOffset", -1),
    ("snippetOffset", 201),
    ("replace", "no"),
]


async def test_a_new_subscription_is_answered_0_and_so_is_its_cancel(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    body = {"documentUrl": pages.add("text").url, "clientUrl": hooks.add().url}
    assert (await rest.call("/subscribe", body | {"keywords": ["argus"]})).verdict == OK
    assert (await rest.call("/cancel", body)).verdict == OK


@pytest.mark.parametrize(
    "url",
    [None, "", "argus", "ftp://example.org/", "http://", "http://user@example.org/", "http://a b/",
     "http://example.org/" + "x" * 2048],
)  # fmt: skip
async def test_an_invalid_document_url_is_1(rest: Rest, url: str | None) -> None:
    assert (await rest.call("/subscribe", GOOD | {"documentUrl": url})).verdict == DOCUMENT
    assert (await rest.call("/cancel", GOOD | {"documentUrl": url})).verdict == DOCUMENT


@pytest.mark.parametrize("url", [None, "", "hook", "mailto:me@example.org", "https://:443/"])
async def test_an_invalid_client_url_is_2(rest: Rest, url: str | None) -> None:
    assert (await rest.call("/subscribe", GOOD | {"clientUrl": url})).verdict == CLIENT
    assert (await rest.call("/cancel", GOOD | {"clientUrl": url})).verdict == CLIENT


@pytest.mark.parametrize("keywords", [None, [], [""], ["  ", "-", "?!"]])
async def test_no_keyword_with_a_word_is_3(rest: Rest, keywords: list[str] | None) -> None:
    assert (await rest.call("/subscribe", GOOD | {"keywords": keywords})).verdict == KEYWORD


async def test_ignoring_both_events_is_4(rest: Rest) -> None:
    body = GOOD | {"ignoreAdded": True, "ignoreRemoved": True}
    assert (await rest.call("/subscribe", body)).verdict == EVENTS


async def test_a_second_subscription_of_the_same_client_is_5(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("text"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    body = {"documentUrl": page.url + "#fragment", "clientUrl": hook.url, "keywords": ["hera"]}
    assert (await rest.call("/subscribe", body)).verdict == CONFLICT


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"\xff{}", b"{'a': 1}"])
@pytest.mark.parametrize("path", ["/subscribe", "/cancel"])
async def test_a_body_that_is_no_json_object_is_6(rest: Rest, path: str, body: bytes) -> None:
    answer = await rest.post(path, body)
    assert answer.verdict == FORMAT
    assert "JSON" in answer.body["detail"]


@pytest.mark.parametrize(("field", "value"), OUT_OF_RANGE)
async def test_a_wrong_type_or_range_is_6_and_the_detail_names_the_field(
    rest: Rest, field: str, value: Any
) -> None:
    answer = await rest.call("/subscribe", GOOD | {field: value})
    assert answer.verdict == FORMAT
    assert field in answer.body["detail"]
    assert "allowed" in answer.body["detail"]


async def test_a_cancel_of_nothing_is_7(rest: Rest) -> None:
    assert (await rest.call("/cancel", GOOD)).verdict == NOT_FOUND


async def test_the_checks_run_in_the_order_6_1_2_3_4_5(
    rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("text"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    body = {
        "documentUrl": "nowhere",
        "clientUrl": "nobody",
        "keywords": ["-"],
        "ignoreAdded": True,
        "ignoreRemoved": True,
        "interval": 0,
    }
    fixes: list[tuple[str, Any]] = [
        ("interval", 1),
        ("documentUrl", page.url),
        ("clientUrl", hook.url),
        ("keywords", ["argus"]),
        ("ignoreAdded", False),
    ]
    codes = [(await rest.call("/subscribe", body)).body["code"]]
    for field, value in fixes:
        body[field] = value
        codes.append((await rest.call("/subscribe", body)).body["code"])
    assert codes == ["6", "1", "2", "3", "4", "5"]


async def test_an_unknown_field_is_refused(rest: Rest, pages: Pages, hooks: Hooks) -> None:
    body = {"documentUrl": pages.add("text").url, "clientUrl": hooks.add().url, "colour": "blue"}
    answer = await rest.call("/subscribe", body | {"keywords": ["argus"]})
    assert answer.body["code"] == "6"
    assert answer.body["detail"].startswith("colour: there is no such field")
