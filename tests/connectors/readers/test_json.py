"""JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers import Unreadable
from connectors.readers.reading import read_document

DOCUMENT = """\
{
  "name": "Argus Panoptes",
  "eyes": 100, "height": 12.50, "big": 123456789012345678901234567890,
  "alive": false, "tomb": null, "empty": {}, "none": [],
  "kin": ["Io", {"name": "Hermes", "name": "again"}, [1, [2]]],
  "text": "two\\nlines caf\\u00e9", "": "nameless"
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
kin:
Io
name: Hermes
name: again
1
2
text: two
lines café
nameless"""


def text(body: str, kind: str = "application/json") -> str:
    return read_document(body.encode(), kind, None).text


@pytest.mark.parametrize("kind", ["application/json", "text/json", "application/ld+json"])
def test_json_is_lines_of_keys_and_values_in_the_order_of_the_document(kind: str) -> None:
    assert text(DOCUMENT, kind) == TEXT


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
