import json

import pytest

from bench.news.items import items

FEED = b"""<rss><channel><title>Gods</title>
<item><guid>1</guid><link>https://gods.example/a</link><title>Zeus wakes</title></item>
<item><link>https://gods.example/b</link><title>Hera</title><description>&lt;p&gt;sleeps
</description></item></channel></rss>"""


def test_entries_of_a_feed_are_named_by_their_guid_else_by_their_link() -> None:
    found = items(FEED, "", "feed")
    assert found == {"1": ("Zeus wakes",), "https://gods.example/b": ("Hera", "sleeps")}


def test_objects_of_json_are_named_by_the_key_wherever_they_are() -> None:
    content = json.dumps({"all": [{"id": 7, "name": "Argus", "eyes": ["left", 99]}]}).encode()
    assert items(content, "", "json id") == {"7": ("7", "Argus", "left", "99")}


def test_truth_values_of_json_are_written_as_in_json() -> None:
    content = json.dumps({"id": 7, "awake": True, "asleep": False}).encode()
    assert items(content, "", "json id") == {"7": ("7", "true", "false")}


def test_the_title_of_a_drawing_in_a_headline_is_not_shown() -> None:
    content = b'<a href="/zeus"><svg><title>For members</title></svg>Zeus wakes early</a>'
    assert items(content, "", "links") == {"/zeus": ("Zeus wakes early",)}


def test_headlines_are_links_of_three_words_named_by_where_they_lead() -> None:
    content = b'<a href="/zeus?from=top">Zeus wakes <b>early</b></a><a href="/more">more</a>'
    assert items(content, "", "links") == {"/zeus": ("Zeus wakes early",)}


def test_rows_of_a_markdown_table_are_named_by_their_first_columns() -> None:
    content = b"| God | Place |\n|---|---|\n| [Zeus](https://gods.example) | Olympus |\n"
    assert items(content, "", "table 1") == {"God": ("God", "Place"), "Zeus": ("Zeus", "Olympus")}


@pytest.mark.parametrize("line", [b"* [Zeus](/z) wakes", b"1. [Zeus](/z) wakes"])
def test_items_of_a_markdown_list_are_named_by_their_link(line: bytes) -> None:
    assert list(items(line, "", "list")) == ["/z"]


def test_rows_of_csv_are_named_by_a_column() -> None:
    assert items(b"1,Zeus\n2,Hera\n", "", "csv 0") == {"1": ("1", "Zeus"), "2": ("2", "Hera")}


def test_a_block_begins_with_each_line_that_has_the_pattern() -> None:
    text = "Today\n10:00 AB12\nFire\n10:05 CD34\nFlood"
    found = items(b"", text, r"blocks [A-Z]{2}\d{2}")
    assert found == {"AB12": ("10:00 AB12", "Fire"), "CD34": ("10:05 CD34", "Flood")}


def test_the_last_block_ends_before_the_line_that_ends_the_items() -> None:
    text = "10:00 AB12\nFire\n10:05 CD34\nFlood\nContact\nus"
    found = items(b"", text, r"blocks [A-Z]{2}\d{2} until ^Contact")
    assert found == {"AB12": ("10:00 AB12", "Fire"), "CD34": ("10:05 CD34", "Flood")}
