"""Files that urlwatch 2.30, webchanges 3.37 and changedetection.io 0.60.10 wrote, imported."""

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from connectors.imports import draft
from connectors.imports.draft import ImportedWatch
from connectors.imports.names import Tool
from connectors.imports.tools import read_watches
from schemas.codec.json_requests import parse

FILES = Path(__file__).parent / "files"
NAMES: dict[Tool, str] = {
    "changedetection": "changedetection.zip",
    "urlwatch": "urlwatch.yaml",
    "webchanges": "webchanges.yaml",
}


def imported(tool: Tool) -> list[ImportedWatch]:
    return read_watches(tool, (FILES / NAMES[tool]).read_bytes())


def of_url(tool: Tool, url: str, number: int = 0) -> ImportedWatch:
    those = [each for each in imported(tool) if (each.request or {}).get("documentUrl") == url]
    return those[number]


def request_of(watch: ImportedWatch) -> dict[str, Any]:
    assert watch.request is not None
    return watch.request


@pytest.mark.parametrize("tool", NAMES)
def test_every_request_is_one_that_vokter_reads(tool: Tool) -> None:
    watches = imported(tool)
    assert len(watches) == 12
    for watch in watches:
        if watch.request is not None:
            body = {name: value for name, value in watch.request.items() if name != "paused"}
            parse("subscribe", body | {"session": "me"})


@pytest.mark.parametrize("tool", NAMES)
def test_no_secret_of_the_file_is_in_a_result(tool: Tool) -> None:
    said = json.dumps(
        [[each.name, each.request, each.took, each.differs, each.left] for each in imported(tool)]
    )
    assert "s3cret" not in said
    assert "pass@" not in said
    assert "vokter credentials set" in said


@pytest.mark.parametrize("tool", NAMES)
def test_remarks_are_sentences_said_once(tool: Tool) -> None:
    for watch in imported(tool):
        said = [*watch.took, *watch.differs, *watch.left]
        assert said
        assert len(said) == len(set(said))
        assert all(each.endswith(".") for each in said)


def test_a_watch_of_changedetection_keeps_its_selectors_words_and_interval() -> None:
    watch = of_url("changedetection", "https://example.org/giants")
    request = request_of(watch)
    assert watch.name == "Giants"
    assert request["interval"] == 2 * 3600 + 30 * 60
    assert request["paused"] is True
    assert request["keywords"] == ['"in stock"', '"sold out"']
    assert request["scope"] == "document"
    assert request["ignoreCase"] is True
    view = request["view"]
    assert view["select"] == [
        {"css": "#price"},
        {"xpath": "//div[@id='stock']"},
        {"xpath": "/html/body/h1"},
    ]
    assert view["exclude"] == [{"css": "nav"}, {"xpath": "//aside"}, {"css": "footer"}]
    assert r"(?im)^[^\n]*(?:updated \d+ minutes)[^\n]*$" in view["ignore"]


def test_a_watch_of_changedetection_follows_its_group_and_the_settings_for_all() -> None:
    request = request_of(of_url("changedetection", "https://shop.example.org/item"))
    assert request["interval"] == 3 * 3600
    assert request["view"]["exclude"] == [{"css": ".advert"}, {"css": "footer"}]
    assert request["view"]["ignore"] == [r"(?im)^[^\n]*(?:cookie notice)[^\n]*$"]


def test_kinds_of_changes_and_unique_lines_become_options() -> None:
    watch = of_url("changedetection", "https://example.org/added")
    request = request_of(watch)
    assert request["ignoreRemoved"] is True
    assert "ignoreAdded" not in request
    assert request["ignoreReturns"] is True
    assert any("check_unique_lines" in each for each in watch.differs)


def test_expressions_that_are_no_words_leave_every_change_and_say_so() -> None:
    watch = of_url("changedetection", "https://example.org/jobs")
    assert request_of(watch)["keywords"] == ["*"]
    said = " ".join(watch.left)
    for name in ("trigger_text", "text_should_not_be_present", "extract_text", "notification_urls"):
        assert name in said


def test_source_of_changedetection_is_read_as_plain_text() -> None:
    request = request_of(of_url("changedetection", "https://example.org/robots.txt"))
    assert "exclude" not in request["view"]
    assert request["documentContentType"] == "text/plain"


def test_a_template_is_left_out() -> None:
    watch = imported("changedetection")[-1]
    assert watch.request is None
    assert watch.left[0].startswith("url: a template is no URL")


def test_two_watches_of_one_url_are_two() -> None:
    assert request_of(of_url("changedetection", "https://example.org/news", 1))["keywords"] == [
        "Olympus"
    ]


def single_file() -> dict[str, Any]:
    """The one file that earlier versions of changedetection.io wrote, with the same watches."""
    with ZipFile(FILES / "changedetection.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist() if name.endswith(".json")}
    settings = json.loads(files.pop("changedetection.json"))
    tags = {n.split("/")[0]: json.loads(d) for n, d in files.items() if n.endswith("tag.json")}
    watching = {
        n.split("/")[0]: json.loads(d) for n, d in files.items() if n.endswith("watch.json")
    }
    settings["settings"]["application"]["tags"] = tags
    return {**settings, "watching": watching}


def test_the_one_file_of_earlier_versions_says_the_same_as_a_backup() -> None:
    single = json.dumps(single_file()).encode()
    assert read_watches("changedetection", single) == imported("changedetection")


def test_links_that_changedetection_shows_in_the_text_of_html_are_read() -> None:
    single = single_file()
    single["settings"]["application"]["render_anchor_tag_content"] = True
    found = read_watches("changedetection", json.dumps(single).encode())
    views = [(each.request or {}).get("view", {}) for each in found]
    with_links = [view for view in views if view.get("attributes") == ["href"]]
    assert with_links
    others = [view for view in views if "attributes" not in view]
    assert any("jsonpath" in each for view in others for each in view.get("select", ()))
    assert not any("jsonpath" in each for view in with_links for each in view.get("select", ()))
    assert all(
        "attributes" not in (each.request or {}).get("view", {})
        for each in imported("changedetection")
    )


def test_filters_of_urlwatch_become_selectors_keywords_and_ignored_text() -> None:
    watch = of_url("urlwatch", "https://example.org/giants")
    assert request_of(watch)["keywords"] == ["Argus", "Hera"]
    assert request_of(watch)["view"] == {
        "select": [{"css": '[id="giants"]'}],
        "ignore": [r"(?m)^[^\n]*(?:Visitors: \d+)[^\n]*$"],
    }


def test_two_css_filters_in_a_row_are_one_selector() -> None:
    watch = of_url("urlwatch", "https://example.org/table")
    assert request_of(watch)["view"]["select"] == [{"css": "table.rates td"}]
    assert request_of(watch)["view"]["exclude"] == [{"css": "tfoot"}]
    assert any(each.startswith("re.sub: €") for each in watch.left)


def test_what_a_selector_cannot_follow_is_left_out() -> None:
    watch = of_url("urlwatch", "https://example.org/list")
    assert request_of(watch)["view"]["select"] == [{"xpath": "//li"}]
    said = " ".join(watch.left)
    assert "skip" in said
    assert "maxitems" in said
    assert "element-by-class" in said


def test_the_short_form_of_filters_is_read() -> None:
    request = request_of(of_url("urlwatch", "https://example.org/legacy"))
    assert request["view"]["select"] == [{"css": "main"}]
    assert request["keywords"] == ["Olympus"]


def test_commands_and_files_are_left_out() -> None:
    left = [each for each in imported("urlwatch") if each.request is None]
    assert [each.left[0] for each in left] == [
        "the job: Vokter runs no commands.",
        "url: file:///etc/motd is no http or https URL.",
    ]


def test_defaults_of_jobs_come_from_the_configuration() -> None:
    config = b"job_defaults: {all: {enabled: false}, url: {filter: [html2text, {grep: hera}]}}"
    (watch,) = read_watches("urlwatch", b"url: https://example.org/", config)
    assert request_of(watch)["paused"] is True
    assert request_of(watch)["keywords"] == ["hera"]


def test_a_post_of_webchanges_keeps_its_body() -> None:
    view = request_of(of_url("webchanges", "https://api.example.org/search"))["view"]
    assert view["method"] == "POST"
    assert json.loads(view["body"]) == {"q": "argus", "page": 1}
    assert view["headers"] == {"Content-Type": "application/json"}
    assert view["language"] == "de"
    form = request_of(of_url("webchanges", "https://example.org/form?lang=en"))["view"]
    assert form["body"] == "q=argus"


def test_only_additions_or_deletions_are_options() -> None:
    giants = request_of(of_url("webchanges", "https://example.org/giants"))
    prices = request_of(of_url("webchanges", "https://example.org/prices"))
    assert (giants.get("ignoreAdded"), giants.get("ignoreRemoved")) == (None, True)
    assert (prices.get("ignoreAdded"), prices.get("ignoreRemoved")) == (True, None)
    assert prices["keywords"] == ["gold", "silver"]


def test_browser_steps_become_steps_and_scripts_are_left_out() -> None:
    watch = of_url("changedetection", "https://example.org/app")
    view = request_of(watch)["view"]
    assert view["render"] is True
    assert view["waitFor"] == {"seconds": 3}
    assert view["headers"] == {"X-Team": "desk"}
    assert any(each.startswith("headers: a browser sends them for") for each in watch.differs)
    assert view["steps"] == [
        {"click": "#accept"},
        {"fill": "#user", "value": "hera"},
        {"wait": {"text": "Welcome", "seconds": 30}},
    ]
    assert any(each.startswith("browser_steps Execute JS: ") for each in watch.left)


def test_a_selector_that_cannot_be_used_is_left_out_alone() -> None:
    data = json.dumps({"url": "https://example.org/", "include_filters": ["main", "<<", "h1"]})
    (watch,) = read_watches("changedetection", data.encode())
    assert request_of(watch)["view"]["select"] == [{"css": "main"}, {"css": "h1"}]
    assert len(watch.left) == 1
    assert watch.left[0].startswith("include_filters <<: ")


def test_what_is_beyond_a_limit_of_views_is_left_out_alone() -> None:
    selectors = [f"#part{number}" for number in range(12)]
    data = json.dumps({"url": "https://example.org/", "include_filters": selectors})
    (watch,) = read_watches("changedetection", data.encode())
    assert len(request_of(watch)["view"]["select"]) == 10
    assert len(watch.left) == 2


def test_headers_of_the_connection_are_left_out() -> None:
    names = ("Host", "If-None-Match", "Content-Length", "Content-Type", "Accept", "Te")
    data = json.dumps({"url": "https://example.org/", "headers": dict.fromkeys(names, "a")})
    (watch,) = read_watches("changedetection", data.encode())
    assert request_of(watch)["view"]["headers"] == {"Content-Type": "a", "Accept": "a"}
    assert len(watch.left) == 4


def test_selectors_that_the_type_of_a_document_does_not_have_are_left_out() -> None:
    json_watch = of_url("changedetection", "https://api.example.org/prices.json")
    assert request_of(json_watch)["view"]["select"] == [{"jsonpath": "$.items[*].price"}]
    assert "exclude" not in request_of(json_watch)["view"]
    assert any("footer" in each for each in json_watch.left)
    seen = {"content-type": "text/html; charset=utf-8", "include_filters": ["json:$.a", "h1"]}
    data = json.dumps({"url": "https://example.org/"} | seen).encode()
    (watch,) = read_watches("changedetection", data)
    assert request_of(watch)["view"]["select"] == [{"css": "h1"}]


def test_a_header_of_a_watch_takes_the_place_of_that_of_all_whatever_its_case() -> None:
    settings = {"settings": {"headers": {"X-Team": "all"}}}
    watching = {"a": {"url": "https://example.org/", "headers": {"x-team": "desk"}}}
    (watch,) = read_watches(
        "changedetection", json.dumps(settings | {"watching": watching}).encode()
    )
    assert request_of(watch)["view"]["headers"] == {"x-team": "desk"}


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_body_without_a_post_is_left_out(method: str) -> None:
    data = json.dumps({"url": "https://example.org/", "method": method, "body": "q=argus"})
    (watch,) = read_watches("changedetection", data.encode())
    assert "view" not in request_of(watch)
    assert "body: only a POST has a body." in watch.left


def test_what_would_leave_out_a_number_is_left_out() -> None:
    watch = draft.Draft("1", "Giants")
    watch.view("subtractive", "exclude", [{"xpath": "count(//p)"}])
    (said,) = watch.left
    assert said.startswith("subtractive: it finds a text or a number; select the element")
    assert not watch.view_fields
