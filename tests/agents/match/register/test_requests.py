"""The checks of a request, in the order of the REST codes: 6, 1, 2, 3, 4."""

from itertools import pairwise

import pytest

from schemas.records.faults import Refusal
from schemas.records.field_types import MAX_INTERVAL, MAX_NAME
from schemas.records.requests import Cancel, ClientRequest, Rotate, Subscribe
from schemas.records.subscriptions import Options, Receiver
from streams.agents.match.register.checks import MAX_KEYWORD, MAX_KEYWORDS
from streams.agents.match.register.requests import Rules, Target, check
from tests.fakes.variants import varied

URL = "http://document.test/"
CLIENT = "http://client.test/hook"
GOOD = Subscribe(URL, Receiver(CLIENT), keywords=("word",), options=Options(interval=60))

# Each fault with its code, in the order in which they must be found.
FAULTS: list[tuple[int, dict[str, object]]] = [
    (6, {"interval": 59}),
    (1, {"document_url": "not a URL"}),
    (2, {"client_url": "ftp://client.test/"}),
    (3, {"keywords": (" ",)}),
    (4, {"ignore_added": True, "ignore_removed": True}),
]


def checked(request: ClientRequest) -> Target | Refusal:
    found = check(request, Rules(60))
    return found if isinstance(found, Refusal) else found.target


def code(request: ClientRequest) -> int:
    found = checked(request)
    return found.code if isinstance(found, Refusal) else 0


def test_a_good_request_concerns_its_document_and_client() -> None:
    assert checked(GOOD) == Target("default", URL, Receiver(CLIENT))
    assert checked(Cancel(URL, Receiver(CLIENT), manager="m")) == Target("m", URL, Receiver(CLIENT))


def test_a_rotation_concerns_a_webhook() -> None:
    assert checked(Rotate(URL, Receiver(CLIENT), manager="m")) == Target("m", URL, Receiver(CLIENT))
    assert code(Rotate(URL, Receiver())) == 2


def test_a_session_takes_the_place_of_a_client_url() -> None:
    request = varied(GOOD, client_url=None, session="me")
    assert checked(request) == Target("default", URL, Receiver(session="me"))
    assert checked(Cancel(URL, Receiver(session="me"))) == Target(
        "default", URL, Receiver(session="me")
    )


def test_urls_are_taken_in_their_canonical_form() -> None:
    request = varied(GOOD, document_url="HTTP://Document.test:80/a/../#part")
    assert checked(request) == Target("default", URL, Receiver(CLIENT))
    other = varied(GOOD, client_url="http://CLIENT.test:80/hook")
    assert checked(other) == Target("default", URL, Receiver(CLIENT))


@pytest.mark.parametrize(("expected", "fault"), FAULTS)
def test_each_fault_has_its_code(expected: int, fault: dict[str, object]) -> None:
    assert code(varied(GOOD, **fault)) == expected


@pytest.mark.parametrize(("first", "second"), list(pairwise(FAULTS)))
def test_of_two_faults_the_one_checked_first_is_named(
    first: tuple[int, dict[str, object]], second: tuple[int, dict[str, object]]
) -> None:
    both = varied(GOOD, **first[1] | second[1])
    assert code(both) == first[0]


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({"interval": 59}, "interval: 60 to"),
        ({"interval": 90, "max_interval": 89}, "maxInterval: it must not be less than the"),
        ({"interval": MAX_INTERVAL + 1}, "interval: 60 to"),
        ({"keywords": ("a",) * (MAX_KEYWORDS + 1)}, "keywords: at most 100"),
        ({"keywords": ("a" * (MAX_KEYWORD + 1),)}, "keywords: at most 256"),
        ({"max_failures": -1}, 'maxFailures: 1 to 1000000 failures, or "never",'),
        ({"snippet_offset": -1}, "snippetOffset: 0 to 200"),
        ({"on_status": (399,)}, "onStatus: at most 20 statuses from 400 to 599"),
        ({"on_status": (404,) * 21}, "onStatus: at most 20 statuses from 400 to 599"),
        ({"snippet_offset": 201}, "snippetOffset: 0 to 200"),
        ({"content_type": ""}, "documentContentType: 1 to 256"),
        ({"content_type": "x" * (MAX_NAME + 1)}, "documentContentType: 1 to 256"),
        ({"session": "me"}, "session: either"),
        ({"client_url": None, "session": ""}, "session, requestId: 1 to 256"),
        ({"client_url": None, "session": "x" * (MAX_NAME + 1)}, "session, requestId: 1 to 256"),
        ({"request_id": ""}, "session, requestId: 1 to 256"),
        ({"manager": ""}, "manager, session, requestId: 1 to 256"),
    ],
)
def test_a_value_out_of_range_is_code_6_with_its_name_and_what_is_allowed(
    fault: dict[str, object], named: str
) -> None:
    found = checked(varied(GOOD, **fault))
    assert isinstance(found, Refusal)
    assert found.code == 6
    assert named in found.detail


@pytest.mark.parametrize(
    "limit",
    [
        {"interval": 60},
        {"interval": MAX_INTERVAL},
        {"keywords": ("a",) * MAX_KEYWORDS},
        {"keywords": ("a" * MAX_KEYWORD,)},
        {"on_status": (400, 599)},
        {"max_failures": 0},
        {"snippet_offset": 0},
        {"snippet_offset": 200},
        {"request_id": "x" * MAX_NAME},
        {"content_type": "x"},
    ],
)
def test_a_value_at_its_limit_is_allowed(limit: dict[str, object]) -> None:
    assert code(varied(GOOD, **limit)) == 0


@pytest.mark.parametrize("fault", [{"document_url": ""}, {"client_url": None}, {"keywords": ()}])
def test_what_is_missing_has_the_code_of_what_is_invalid(fault: dict[str, object]) -> None:
    expected = {"document_url": 1, "client_url": 2, "keywords": 3}[next(iter(fault))]
    assert code(varied(GOOD, **fault)) == expected


def test_a_cancel_is_checked_for_its_urls_only() -> None:
    assert code(Cancel("nowhere", Receiver(CLIENT))) == 1
    assert code(Cancel(URL, Receiver())) == 2
    assert code(Cancel(URL, Receiver(CLIENT, "me"))) == 6
    assert code(Cancel(URL, Receiver(CLIENT))) == 0


def test_one_ignored_event_is_allowed() -> None:
    assert code(varied(GOOD, ignore_added=True)) == 0
    assert code(varied(GOOD, ignore_removed=True)) == 0


def test_all_faults_of_a_request_are_found_in_the_order_of_the_checks() -> None:
    every: dict[str, object] = {}
    for _, fault in FAULTS:
        every |= fault
    found = checked(varied(GOOD, **every))
    assert isinstance(found, Refusal)
    assert [(fault.code, fault.field) for fault in found.faults] == [
        (6, "interval"),
        (1, "documentUrl"),
        (2, "clientUrl"),
        (3, "keywords"),
        (4, "ignoreAdded, ignoreRemoved"),
    ]
