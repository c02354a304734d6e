import json
import re
from dataclasses import replace
from typing import Any

import pytest
from msgspec import convert

from connectors.api.bulk import BulkBody
from connectors.api.history.facts import fact_json
from connectors.api.listing import ListingHandlers
from connectors.api.paging import DEFAULT_LIMIT, MAX_LIMIT
from connectors.reads.next_checks import NextChecks
from connectors.stores.pages import ListedSubscription
from schemas.codec import json_requests
from schemas.codec.body import body
from schemas.codec.times import epoch_ms
from schemas.records import field_types as kinds
from schemas.records.answers import Heading
from schemas.records.changes import DocumentChanged, Returned
from schemas.records.codes import Code
from schemas.records.deliveries import AttemptFailed, Delivered, DeliveryFailed
from schemas.records.failures import DocumentUnreachable
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.match.register.checks import MAX_KEYWORD, MAX_KEYWORDS
from streams.agents.match.register.requests import CheckedRequest, Rules, check
from streams.diff.regions import changed_regions
from streams.matching.notifications import matcher_of, notification_of_change
from streams.settings import Settings
from streams.values.steps import completed
from tests.docs.reading import blocks, names, rows, text
from tests.fakes.notifications import NOTIFICATION

ROOMS = "subscribing", "views", "subscriptions", "trying", "history", "notifications", "webhook"
PAGES = ["docs/rest.md", *(f"docs/rest/{room}.md" for room in ROOMS)]
REST = "\n".join(map(text, PAGES))
SETTINGS = Settings.model_construct()
FIELDS = {row[0].strip("`"): row for title in ("field", "option") for row in rows(REST, title)}
LISTED = list(rows(REST.partition("## GET /subscriptions")[2], "field"))
CHANGED = DocumentChanged("c", "u", "w", 1, 0, "text/html", "en", (), 1)
UNREACHABLE = DocumentUnreachable("c", "u", "w", 1, "", "timed out", 1)
DELIVERED = Delivered("n", "s", "default", "http://c/", 1, 200, 1)
RETRIED = AttemptFailed("n", "s", "default", "http://c/", 1, "answered 500", 1, 2, 1)
FAILED = DeliveryFailed("n", "s", "default", "http://c/", 1, "answered 500", 1)
TRIED, BODIES = (re.findall(r"-d '(.*?)'", page, re.DOTALL) for page in (text("README.md"), REST))
"""Those of the README are for the deployment of the demo, which fetches each second."""
BULKS = [body for body in BODIES if "action" in json.loads(body)]
REQUESTS = [body for body in BODIES if body not in BULKS]
MESSAGES = re.findall(r"^echo '(.*?)'", text("docs/how-to/use-kafka.md"), re.MULTILINE)


def test_the_page_lists_every_field_of_a_request_and_no_other() -> None:
    assert FIELDS.keys() == set(json_requests.json_names(Subscribe))


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_has_its_default(name: str) -> None:
    request = Subscribe("", Receiver(), keywords=())
    default = json_requests.flat_json(request)[name]
    documented = FIELDS[name][1]

    if default in (None, "", ()):
        assert "`" not in documented
    else:
        assert documented == f"`{default if isinstance(default, str) else json.dumps(default)}`"


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("documentUrl", [2_048]),
        ("session", [kinds.MAX_NAME]),
        ("keywords", [MAX_KEYWORDS, MAX_KEYWORD]),
        ("manager", [kinds.MAX_NAME]),
    ],
)
def test_a_field_has_its_range(name: str, limits: list[int]) -> None:
    documented = re.findall(r"\d[\d,]*\d|\d", FIELDS[name][2])

    assert {f"{limit:,}" for limit in limits} <= set(documented)


def test_the_page_of_errors_lists_every_answer_with_its_status_and_message() -> None:
    listed = rows(text("docs/errors.md"), "code")
    documented = {int(row[0].strip("`")): (int(row[1]), row[3]) for row in listed}

    assert documented == {code: (code.status, code.message) for code in Code}


def test_the_page_lists_every_field_of_a_listing_and_no_other() -> None:
    documented = {name for cells in LISTED for name in names(cells[0])}

    assert documented == item("https://c.example/", None).keys() | item(None, "s").keys()
    assert f"1 to {MAX_LIMIT:,} (default {DEFAULT_LIMIT})" in REST


@pytest.mark.parametrize(
    ("header", "facts"),
    [
        ("change", [CHANGED, UNREACHABLE]),
        ("notification", [NOTIFICATION, replace(NOTIFICATION, receiver=Receiver(session="s"))]),
        ("delivery", [DELIVERED, RETRIED, FAILED]),
    ],
)
def test_the_page_lists_every_field_of_a_history_and_no_other(
    header: str, facts: list[Any]
) -> None:
    documented = {name for cells in rows(REST, header) for name in names(cells[0])}

    assert documented == {name for fact in facts for name in fact_json(fact)}


def test_the_body_of_the_page_is_the_one_that_is_sent() -> None:
    (shown,) = blocks(text("docs/rest/webhook.md").partition("##")[0], "json")
    expected = json.loads(shown)
    before, after = (f"Shop\n{expected['diffs'][0][side]}" for side in ("before", "after"))
    change = replace(
        CHANGED,
        url=expected["url"],
        regions=changed_regions(before, after, [Heading(0, 1)]),
        title=expected["title"],
        at=epoch_ms(expected["at"]),
        returned=Returned(epoch_ms(expected["returned"]["since"]), 2),
    )
    options = Options(ignore_removed=True)
    laptops = Subscription(
        "35ae0db7", "w", "default", change.url, change.url, Receiver(), ("laptop",), options, 0
    )
    sent = completed(notification_of_change(laptops, change, matcher_of(change)))
    assert sent is not None
    assert json.loads(body(sent)) == expected


@pytest.mark.parametrize("body", BULKS)
def test_a_change_of_many_on_the_page_is_one(body: str) -> None:
    assert convert(json.loads(body), BulkBody).action in json.loads(body).values()


@pytest.mark.parametrize(
    ("body", "least"),
    [(body, 1) for body in TRIED] + [(body, SETTINGS.min_interval) for body in REQUESTS + MESSAGES],
)
def test_a_request_of_the_page_passes_the_checks(body: str, least: int) -> None:
    fact_json = json.loads(body)
    request = json_requests.parse("subscribe" if "keywords" in fact_json else "cancel", fact_json)

    assert isinstance(check(request, Rules(least)), CheckedRequest)
    assert fact_json.keys() <= set(json_requests.json_names(Subscribe))


@pytest.mark.parametrize("answer", blocks(text("README.md") + REST, "json"))
def test_an_answer_of_the_page_is_json(answer: str) -> None:
    assert isinstance(json.loads(answer), dict)


def item(client_url: str | None, session: str | None) -> dict[str, Any]:
    url = "https://example.org/"
    subscription = Subscription(
        id="1", watch="1", manager="default", document_url=url, url=url,
        receiver=Receiver(client_url, session), keywords=("a",), options=Options(interval=60),
        created=0,
    )  # fmt: skip
    listed = ListedSubscription(subscription, "active", None, None, 60, None, 0, None)
    nobody: Any = None
    next_checks = NextChecks(lambda *_: 0, lambda _: 0, lambda: 0)
    return ListingHandlers(nobody, next_checks).item(listed)
