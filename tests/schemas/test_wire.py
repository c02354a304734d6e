"""Records come back from bytes as they went, and nothing else is taken for a record."""

import json
import re
import tracemalloc
from io import BytesIO
from typing import Any

import avro.io
import avro.schema
import pytest
from fastavro import schemaless_writer
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from schemas.codec import versions
from schemas.codec.json_requests import FaultyRequest, flat_json, parse
from schemas.codec.json_values import InvalidRequestBody
from schemas.codec.wire import Undecodable, decode, encode
from schemas.records.changes import DocumentChanged, Edit, Place, Region, Sentence, Span
from schemas.records.documents import Document
from schemas.records.fetches import FetchDue
from schemas.records.requests import Cancel, Expire, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import TickedThrough
from streams.agents.fetch.state.changes import changes_of
from tests.fakes.records import records
from tests.fakes.regions import added
from tests.fakes.variants import varied
from tests.harness.examples import examples

REQUESTS = (Subscribe, Cancel, Expire)
ANY_RECORD = st.sampled_from(versions.KINDS).flatmap(records)
TEXT = "Ζεύς \U0001f600 \0"
CHANGE = DocumentChanged("i", "http://u/", "w", 5, 0, "", "und", (added(TEXT),), 1)


def header(kind: type[Any]) -> bytes:
    return next(schema.header for schema in versions.schemas() if schema.kind is kind)


@pytest.mark.parametrize("kind", versions.KINDS)
@examples(15)
@given(data=st.data())
def test_a_record_comes_back_as_it_was(kind: Any, data: st.DataObject) -> None:
    record = data.draw(records(kind))
    assert decode(encode(record), kind) == record


@examples(50)
@given(ANY_RECORD)
def test_another_avro_implementation_reads_what_we_write(record: Any) -> None:
    schema = versions._newest()[type(record)]
    reader = avro.io.DatumReader(avro.schema.parse(json.dumps(schema.source)))
    data = encode(record)
    assert data[:10] == schema.header
    values = reader.read(avro.io.BinaryDecoder(BytesIO(data[10:])))
    assert to_builtins(values) == json.loads(json.dumps(to_builtins(record)))


def test_a_record_is_read_with_the_defaults_of_fields_it_was_written_without() -> None:
    read = decode(b'{"documentUrl": "u", "keywords": []}', Subscribe, allow_json=True)
    assert read == Subscribe("u", Receiver(), keywords=())


@pytest.mark.parametrize("data", [None, b"", b"\0", b"\xc3", b"\xc3\x01", b"\xc3\x01" + b"x" * 8])
def test_what_has_no_header_of_ours_is_refused(data: bytes | None) -> None:
    with pytest.raises(Undecodable):
        decode(data, TickedThrough)


@examples(200)
@given(st.binary(max_size=200), st.booleans())
def test_random_bytes_are_refused(data: bytes, allow_json: bool) -> None:
    with pytest.raises(Undecodable):
        decode(data, *REQUESTS, allow_json=allow_json)


@examples(200)
@given(st.sampled_from(versions.KINDS), st.binary(max_size=100))
def test_random_bytes_behind_a_good_header_are_refused_or_a_whole_record(
    kind: type[Any], data: bytes
) -> None:
    try:
        record = decode(header(kind) + data, kind)
    except Undecodable:
        return
    assert decode(encode(record), kind) == record


@examples(50)
@given(ANY_RECORD)
def test_a_truncated_record_is_refused(record: Any) -> None:
    data = encode(record)
    for end in range(len(data)):
        with pytest.raises(Undecodable):
            decode(data[:end], *versions.KINDS)


def test_bytes_left_over_behind_a_record_are_refused() -> None:
    with pytest.raises(Undecodable, match="left over"):
        decode(encode(CHANGE) + b"\0", DocumentChanged)


def test_a_record_that_does_not_belong_on_the_topic_is_refused_by_name() -> None:
    with pytest.raises(
        Undecodable, match="TickedThrough does not belong here, only: Subscribe, Cancel"
    ):
        decode(encode(TickedThrough(1)), Subscribe, Cancel)


def test_a_negative_length_is_refused() -> None:
    minus_one = b"\x01"
    with pytest.raises(Undecodable):
        decode(header(Expire) + minus_one + b"rest", Expire)


@pytest.mark.parametrize("name", ['"\\ud800"', '"view": {"\\ud800": 1}, "x"'])
def test_what_is_wrong_with_a_name_of_surrogates_can_be_in_a_fact(name: str) -> None:
    found = decode(f"{{{name}: 1}}".encode(), *REQUESTS, allow_json=True)
    assert isinstance(found, FaultyRequest)
    faults = found.faults
    fact = Rejected("r", "default", 2, faults[0].detail, "u", None, 1, faults)
    assert decode(encode(fact), Rejected) == fact
    assert "\\ud800" in "".join(each.field for each in faults)


def test_json_is_refused_where_it_is_not_allowed() -> None:
    with pytest.raises(Undecodable):
        decode(b'{"documentUrl": "u"}', *REQUESTS)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"documentUrl": "u"', "not JSON"),
        ("{]", "not JSON"),
        ('{"a":' + "[" * 100_000, "not JSON"),
        ('{"a":' + "[" * 100_000 + "]" * 100_000 + "}", "not JSON"),
        ('{"interval": ' + "9" * 5000 + "}", "not JSON"),
        ('{"interval": 1e99999999999999999999}', "1e9+ is too large"),
        ('{"interval": NaN}', "NaN is no JSON number"),
        ('{"more": [-Infinity]}', "-Infinity is no JSON number"),
        ('{"session": "a", "session": "b"}', "a name stands twice"),
        ('{"more": {"a": 1, "a": 1}}', "a name stands twice"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_value_that_is_no_json_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(Undecodable, match=reason):
        decode(text.encode(), *REQUESTS, allow_json=True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"interval": 9223372036854775808}', "interval: the number is too large"),
        ('{"interval": true}', "interval: a whole number"),
        ('{"interval": 60.0}', "interval: a whole number"),
        ('{"interval": "60"}', "interval: a whole number"),
        ('{"interval": "\\ud800"}', "interval: a whole number"),
        ('{"ignoreCase": "\\ud800"}', "ignoreCase: true or false"),
        ('{"keywords": "\\ud800"}', "keywords: a list of strings"),
        ('{"onStatus": ["\\ud800"]}', "onStatus: a list of whole numbers"),
        ('{"onStatus": [9223372036854775808]}', "onStatus: the number is too large"),
        ('{"crawl": {"depth": "\\ud800"}}', "crawl.depth: a whole number"),
        ('{"ignoreCase": 1}', "ignoreCase: true or false"),
        ('{"documentUrl": 1}', "documentUrl: a string"),
        ('{"documentUrl": ["u"]}', "documentUrl: a string"),
        ('{"keywords": "word"}', "keywords: a list of strings"),
        ('{"keywords": [1]}', "keywords: a list of strings"),
        ('{"keywords": [null]}', "keywords: a list of strings"),
        ('{"keywords": ["\\ud800"]}', "keywords: a lone surrogate"),
        ('{"clientUrl": "\\udfff"}', "clientUrl: a lone surrogate"),
        ('{"action": "expire"}', "action: one of subscribe, cancel, rotate, pause"),
        ('{"action": []}', "action: one of subscribe, cancel, rotate, pause"),
        ('{"action": null}', "action: one of subscribe, cancel, rotate, pause"),
        ('{"intervall": 60}', "intervall: there is no such field; did you mean interval"),
        ('{"ignorecase": true}', "ignorecase: there is no such field; did you mean ignoreCase"),
        ('{"keyword": ["a"]}', "keyword: there is no such field; did you mean keywords"),
        ('{"colour": null}', "colour: there is no such field; there are documentUrl, clientUrl"),
        ('{"' + "x" * 10_000 + '": 1}', "^x{50}: there is no such field"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_json_object_with_a_mistake_is_an_invalid_request_with_the_reason(
    text: str, reason: str
) -> None:
    found = decode(text.encode(), *REQUESTS, allow_json=True)
    assert isinstance(found, FaultyRequest)
    assert re.match(reason, found.faults[0].detail)


def test_an_invalid_request_names_its_client_as_far_as_that_is_valid() -> None:
    body = {"documentUrl": "u", "requestId": "r", "manager": "m", "intervall": 1}
    found = decode(json.dumps(body).encode(), *REQUESTS, allow_json=True)
    assert (found.document_url, found.request_id, found.manager) == ("u", "r", "m")
    wrong = {"documentUrl": "\ud800", "requestId": "", "manager": "m" * 257}
    found = decode(json.dumps(wrong).encode(), *REQUESTS, allow_json=True)
    assert (found.document_url, found.request_id, found.manager) == ("", None, "default")


@pytest.mark.parametrize("data", [b"[]", b'"text"', b"1", b"null", b"{\xff}", b"[{}]"])
def test_other_json_and_other_encodings_are_refused(data: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(data, *REQUESTS, allow_json=True)


def test_every_documented_json_name_reaches_its_field() -> None:
    body = {
        "action": "subscribe",
        "documentUrl": "http://d.test/",
        "clientUrl": "http://c.test/",
        "session": "s",
        "requestId": "r",
        "manager": "m",
        "keywords": ["one", "δύο"],
        "documentContentType": "text/html",
        "onStatus": [404],
        "maxFailures": "never",
        "notifyFailures": True,
        "interval": 60,
        "ignoreAdded": True,
        "ignoreRemoved": True,
        "enableStemming": True,
        "filterStopwords": True,
        "ignoreCase": True,
        "snippetOffset": 0,
        "replace": True,
    }
    expected = Subscribe(
        document_url="http://d.test/",
        receiver=Receiver("http://c.test/", "s"),
        request_id="r",
        manager="m",
        keywords=("one", "δύο"),
        options=Options(
            content_type="text/html",
            on_status=(404,),
            max_failures=0,
            notify_failures=True,
            interval=60,
            ignore_added=True,
            ignore_removed=True,
            enable_stemming=True,
            filter_stopwords=True,
            ignore_case=True,
            snippet_offset=0,
        ),
        replace=True,
    )
    assert decode(json.dumps(body).encode(), *REQUESTS, allow_json=True) == expected
    cancel = Cancel("http://d.test/", Receiver("http://c.test/", "s"), "r", "m")
    data = json.dumps(body | {"action": "cancel"}).encode()
    assert decode(data, *REQUESTS, allow_json=True) == cancel


@pytest.mark.parametrize("value", [0, "Never", "5", False])
def test_failures_are_a_number_from_1_on_or_never(value: object) -> None:
    with pytest.raises(InvalidRequestBody, match="maxFailures"):
        parse("subscribe", {"maxFailures": value})


def test_what_is_never_is_shown_as_never() -> None:
    shown = flat_json(Options(max_failures=0))
    assert (shown["maxFailures"], shown["notifyFailures"]) == ("never", False)
    assert flat_json(Options(max_failures=5))["maxFailures"] == 5


def test_null_and_absent_json_fields_take_the_default() -> None:
    data = b' \n{"documentUrl": "u", "keywords": ["a"], "interval": null, "session": null}'
    assert decode(data, *REQUESTS, allow_json=True) == Subscribe("u", Receiver(), keywords=("a",))


def test_a_missing_document_url_or_keyword_list_is_left_to_the_register() -> None:
    assert decode(b"{}", *REQUESTS, allow_json=True) == Subscribe("", Receiver(), keywords=())


def test_one_flag_alone_does_not_set_another() -> None:
    for name, field in (("ignoreAdded", "ignore_added"), ("replace", "replace")):
        flag: Any = {field: True}
        read = decode(json.dumps({name: True}).encode(), Subscribe, allow_json=True)
        assert read == varied(Subscribe("", Receiver(), keywords=()), **flag)


def test_a_fact_can_hold_none_and_empty_text_where_nothing_speaks_against_it() -> None:
    options = Options(interval=1, snippet_offset=0)
    names = ("", "", "", "", "http://d.test/")
    subscription = Subscription(*names, Receiver(session=""), ("a",), options, 0)
    fact = Subscribed("", subscription, "", None, 0)
    assert decode(encode(fact), Subscribed) == fact


def long(number: int) -> bytes:
    """Avro's zig-zag variable-length coding."""
    out = BytesIO()
    schemaless_writer(out, "long", number)
    return out.getvalue()


def text(value: str) -> bytes:
    return long(len(value.encode())) + value.encode()


CHANGE_HEAD = text("i") + text("http://d/") + text("w") + long(1) + long(0) + text("") + text("")


@pytest.mark.parametrize(
    "data",
    [
        header(FetchDue) + b"\xff\xff\xff\xff\x0f",
        header(FetchDue) + long(2**62),
        header(FetchDue) + long(-3) + long(2**60) + b"\0\0",
        header(DocumentChanged) + CHANGE_HEAD + long(2**62) + bytes(1000),
        header(Expire) + long(2**62) + b"http",
        header(Expire) + long(-(2**62)) + b"http",
        header(TickedThrough) + b"\xff" * 12 + b"\1",
        header(TickedThrough) + b"\xff" * 1_000_000 + b"\1",
    ],
    ids=lambda data: repr(data[:40]),  # an id stands in each message of a run
)
def test_a_length_that_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(Undecodable) as refused:
        decode(data, *versions.KINDS)
    assert len(str(refused.value)) < 300


@pytest.mark.slow  # eight seconds of a core
def test_a_few_bytes_a_part_cannot_fill_the_memory() -> None:
    count = 7_000_000
    data = header(DocumentChanged) + CHANGE_HEAD + long(count) + bytes(2 * count) + b"\0" + long(1)
    tracemalloc.start()
    try:
        with pytest.raises(Undecodable, match="too many parts"):
            decode(data, DocumentChanged)
        assert tracemalloc.get_traced_memory()[1] < 20 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.slow  # four seconds of a core
def test_the_largest_change_that_is_written_can_be_read() -> None:
    place, end = Place(2**31, "x" * 1_000_000), 1_000_000
    side = Sentence(end - 9, end, tuple(Span(at, at + 1) for at in range(end - 9, end, 2)))
    region = Region(place, place, (), (Edit("edited", side, side, "numbers"),) * 2_000)
    state = Document("http://u/", "w", 5, content_type="text/html", language="en")
    # Each as many as fill one message, and a few more.
    for each in ([region] * 4, [added("x")] * 42_000):
        changes = list(changes_of(state, tuple(each), 1))
        assert sum(len(change.regions) for change in changes) == len(each)
        assert len(changes) == 2
        for change in changes:
            encoded = encode(change)
            assert len(encoded) < 16_000_000
            assert decode(encoded, DocumentChanged) == change
