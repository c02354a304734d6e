"""JSON."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers import Unreadable
from connectors.readers.json import MAX_PATH, MAX_WITH_PATHS
from connectors.readers.reading import read_document, read_views
from schemas.records.answers import Reading
from schemas.records.views import Selector, View

DOCUMENT = """\
{
  "name": "Argus Panoptes",
  "eyes": 100, "height": 12.50, "big": 123456789012345678901234567890,
  "alive": false, "tomb": null, "empty": {}, "none": [],
  "kin": ["Io", {"name": "Hermes", "name": "again"}, [1, [2]]],
  "text": "two\\n\\nlines caf\\u00e9", "": "nameless", "a.b": {"two\\nlines": "", "": {"c": "d"}}
}"""
TEXT = """\
name: Argus Panoptes
eyes: 100
height: 12.50
big: 123456789012345678901234567890
alive: false
tomb: null
empty:
none:
kin: Io

kin.name: Hermes
kin.name: again

kin: 1
kin: 2
text: two
lines café
nameless
a.b.two lines:
a.b.c: d"""


def text(body: str, kind: str = "application/json") -> str:
    return read_document(body.encode(), kind, None).text


@pytest.mark.parametrize("kind", ["application/json", "text/json", "application/ld+json"])
def test_json_is_lines_of_paths_and_values_in_the_order_of_the_document(kind: str) -> None:
    assert text(DOCUMENT, kind) == TEXT


def test_objects_in_an_array_are_set_apart_by_one_empty_line() -> None:
    body = '{"gods": [{"name": "Zeus", "kin": [{"name": "Hera"}]}, {"name": "Io"}], "all": 2}'
    assert text(body).split("\n") == [
        "gods.name: Zeus",
        "",
        "gods.kin.name: Hera",
        "",
        "gods.name: Io",
        "",
        "all: 2",
    ]


def test_a_value_keeps_its_line_when_another_comes_before_it() -> None:
    one, two = '{"a": [{"b": 1}]}', '{"a": [{"b": 2}, {"b": 1}]}'
    assert text(one) in text(two).split("\n")


def test_an_array_of_values_in_an_array_is_a_row() -> None:
    assert text('{"at": [[1.50, "two\\nwords"], [3, null], []]}').split("\n") == [
        "at: 1.50\ttwo words",
        "at: 3\tnull",
        "at:",
    ]
    assert text('[["x", ["y", "z"]], []]') == "x\ny\tz"
    place = ["AT", "Austria", "x" * 9_000]
    assert text(json.dumps([place])) == "\t".join(place)
    long = ["x" * 100] * 30
    assert text(json.dumps({"at": [long]})).split("\n") == [f"at: {each}" for each in long]


def test_long_keys_and_many_values_do_not_multiply() -> None:
    key = "k" * 1000
    values = {key: {"last": [0] * 10_000}}
    assert text(json.dumps(values)).split("\n")[0] == f"{'k' * MAX_PATH}.last: 0"
    assert len(text(json.dumps({"first": {key: values}}))) < 3_000_000


def test_the_lines_of_a_very_long_text_have_the_last_of_their_keys() -> None:
    values = {"first": {"second": ["x" * 100] * (MAX_WITH_PATHS // 120)}}
    assert text(json.dumps(values)).startswith("first.second: x")
    values["first"]["second"] *= 2
    assert text(json.dumps(values)).startswith("second: x")


@pytest.mark.parametrize(("body", "line"), [("1e9", "1e9"), ('"a"', "a"), ("true", "true")])
def test_a_single_value_is_a_document(body: str, line: str) -> None:
    assert text(body) == line


@pytest.mark.parametrize("body", ["", "{", "<html>", "callback({})", '{"a": 1} {"a": 2}'])
def test_what_is_no_json_is_unreadable_and_the_reason_says_where(body: str) -> None:
    with pytest.raises(Unreadable, match=r"not JSON: .* \(char \d+\)"):
        text(body)


@pytest.mark.parametrize("deep", ["[" * 101 + "]" * 101, "[" * 200_000, '{"a":' * 200_000])
def test_json_that_is_nested_without_end_is_unreadable(deep: str) -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        text(deep)


def test_json_may_be_nested_99_levels_deep() -> None:
    assert text("[" * 99 + '"x"' + "]" * 99) == "x"


def test_a_number_of_any_length_is_read() -> None:
    assert text("9" * 100_000) == "9" * 100_000


def test_what_is_no_character_is_marked() -> None:
    assert text('"a\\ud800b\\u0000c"') == "a\ufffdb\ufffdc"


words = st.text("abcxyz", min_size=1)


@given(st.recursive(words, lambda inner: st.lists(inner) | st.dictionaries(words, inner)))
def test_every_value_is_in_the_text(value: object) -> None:
    shown = text(json.dumps(value)).split()
    assert set(leaves(value)) <= set(shown)


def leaves(value: object) -> list[str]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [str(value)]


@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/javascript", ""])
def test_json_under_another_type_is_read_by_jsonpath(kind: str) -> None:
    view, whole = View(select=(Selector(jsonpath="$.a.b"),)), View()
    found = read_views(b'\xef\xbb\xbf {"a": {"b": "seven"}}', kind, [view, whole])
    texts = [each.text for each in found if isinstance(each, Reading)]
    assert texts == ["a.b: seven", '{"a": {"b": "seven"}}' if kind else "a.b: seven"]


def test_what_is_no_json_says_so_to_jsonpath() -> None:
    view = View(select=(Selector(jsonpath="$.a"),))
    (page,) = read_views(b"<p>{}</p>", "text/html", [view])
    (broken,) = read_views(b"{a: 1}", "text/html", [view])
    (chosen,) = read_views(b"{}", "text/html", [replace(view, content_type="text/html")])
    assert "finds nothing in HTML" in str(page)
    assert "finds nothing in HTML" in str(chosen)
    assert "not JSON" in str(broken)
