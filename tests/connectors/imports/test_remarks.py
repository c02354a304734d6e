"""What is said of a watch's parts is true of the request that it becomes."""

import json
from typing import Any

import pytest

from connectors.imports.draft import ImportedWatch
from connectors.imports.names import Tool
from connectors.imports.tools import read_watches


def of_job(tool: Tool = "webchanges", **job: Any) -> ImportedWatch:
    (watch,) = read_watches(tool, json.dumps({"url": "https://example.org/"} | job).encode())
    return watch


def of_watch(**fields: Any) -> ImportedWatch:
    data = json.dumps({"url": "https://example.org/", **fields})
    (watch,) = read_watches("changedetection", data.encode())
    return watch


def view_of(watch: ImportedWatch) -> dict[str, Any]:
    assert watch.request is not None
    view: dict[str, Any] = watch.request.get("view", {})
    return view


def steps(*several: tuple[str, str, str]) -> ImportedWatch:
    names = "operation", "selector", "optional_value"
    given = [dict(zip(names, each, strict=True)) for each in several]
    return of_watch(fetch_backend="html_webdriver", browser_steps=given)


def test_a_browser_of_webchanges_waits_as_long_as_there() -> None:
    watch = of_job(
        use_browser=True, wait_for_selector="#price", wait_until="networkidle",
        wait_for_timeout=1_500,
    )  # fmt: skip
    assert view_of(watch) == {
        "render": True,
        "waitFor": {"selector": "#price", "networkIdle": True},
        "steps": [{"wait": {"seconds": 2}}],
    }
    early = of_job(use_browser=True, wait_until="commit", wait_for_timeout="soon")
    assert any(each.startswith("wait_until: ") for each in early.differs)
    assert "wait_for_timeout: it is no whole number of milliseconds." in early.left


def test_a_browser_gets_headers_and_no_body() -> None:
    watch = of_job(
        use_browser=True, headers={"X-Team": "desk", "Accept-Language": "de"},
        useragent="me", data={"q": "argus"},
    )  # fmt: skip
    assert view_of(watch) == {
        "render": True,
        "headers": {"X-Team": "desk"},
        "language": "de",
        "userAgent": "me",
    }
    assert "method: a browser gets pages; view.steps can send a form." in watch.left
    assert "data: only a POST has a body." in watch.left
    assert any(each.startswith("headers: a browser sends them") for each in watch.differs)


def test_an_xpath_of_a_step_is_one_for_the_browser_too() -> None:
    watch = steps(("Click element", "/html/body/a", ""), ("Click element", "//a", ""))
    assert view_of(watch)["steps"] == [{"click": "xpath=/html/body/a"}, {"click": "//a"}]


def test_steps_that_work_in_another_way_say_so() -> None:
    watch = steps(
        ("Check checkbox", "#agree", ""),
        ("Click element containing text", "", "More"),
        ("Scroll down", "", ""),
        ("Wait for seconds", "", "0.5"),
        ("Wait for text in element", "#price", "€"),
    )
    assert view_of(watch)["steps"] == [
        {"click": "#agree"},
        {"click": "text=More"},
        {"scroll": "bottom"},
        {"wait": {"seconds": 1}},
        {"wait": {"text": "€", "seconds": 30}},
    ]
    said = [each.partition(": ")[0] for each in watch.differs]
    for name in ("Check checkbox", "Click element containing text", "Scroll down"):
        assert f"browser_steps {name}" in said
    assert "browser_steps Wait for text in element" in said


def test_a_step_with_a_template_or_a_wait_that_is_too_long_is_left_out() -> None:
    watch = steps(("Goto URL", "", "https://example.org/{{ now }}"), ("Wait for seconds", "", "99"))
    assert "steps" not in view_of(watch)
    assert watch.left == (
        "browser_steps Goto URL: a template is not filled in; the steps after it may fail.",
        "browser_steps Wait for seconds: view.steps: seconds: 1 to 30 seconds are allowed.",
    )


def test_a_delay_that_is_too_long_is_left_out() -> None:
    watch = of_watch(fetch_backend="html_webdriver", webdriver_delay=60)
    assert view_of(watch) == {"render": True}
    assert watch.left == ("webdriver_delay: view.waitFor: seconds: 1 to 30 seconds are allowed.",)


def test_an_unknown_fetcher_is_left_out() -> None:
    assert view_of(of_watch(fetch_backend="html_requests")) == {}
    watch = of_watch(fetch_backend="zyte")
    assert "fetch_backend zyte: the page is requested by HTTP alone." in watch.left


@pytest.mark.parametrize(
    ("query", "path"),
    [
        (".items[].price", "$.items[*].price"),
        ('.["a b"][0]."c d"', '$["a b"][0]["c d"]'),
        (".[-1].name", "$[-1].name"),
        (".", "$"),
    ],
)
def test_a_path_of_jq_is_a_jsonpath(query: str, path: str) -> None:
    watch = of_job(filter=[{"jq": query}])
    assert view_of(watch)["select"] == [{"jsonpath": path}]
    assert f"jq: {query} became view.select." in watch.took
    seen = {"content-type": "application/json", "include_filters": [f"jq:{query}"]}
    assert view_of(of_watch(**seen))["select"] == [{"jsonpath": path}]


@pytest.mark.parametrize("query", [".a | length", "..", ".a?", "map(.b)", ".a[1:2]", "", ".a.[b]"])
def test_a_program_of_jq_is_left_out(query: str) -> None:
    watch = of_job(filter=[{"jq": query}])
    assert view_of(watch) == {}
    assert watch.left[0].startswith(f"jq: {query}: jq computes")


def test_what_python_and_re2_understand_in_different_ways_is_said() -> None:
    watch = of_job(filter=["html2text", {"re.sub": r"^\w+ views$"}, {"re.sub": r"[^a]\d+"}])
    assert view_of(watch)["ignore"] == [r"^\w+ views$", r"[^a]\d+"]
    assert list(watch.differs) == [
        r"re.sub: ^\w+ views$: \w and \b know the letters of ASCII alone.",
        r"re.sub: ^\w+ views$: ^ and $ are the ends of each line, not of the text alone.",
    ]
    ignoring = of_watch(ignore_text=[r"/\bviews\b/"])
    assert any(r"\b know the letters of ASCII" in each for each in ignoring.differs)


def test_a_parameter_that_a_filter_needs_is_left_out() -> None:
    watch = of_job(
        filter=[{"pdf2text": {"password": "s3cret"}}, {"strip": "-"}, {"html2text": "re"}]
    )
    assert watch.left == (
        "password of pdf2text: there is no counterpart.",
        "chars of strip: there is no counterpart.",
    )


def test_a_job_without_a_filter_says_that_its_text_is_compared() -> None:
    assert "the document: its text is compared, not its source." in of_job().differs
    assert of_job(filter=["html2text"]).differs == ()


def test_tags_become_tags_as_vokter_writes_them() -> None:
    watch = of_job(tags=["Greek  Gods", "PRICES, daily", "greek gods", "x" * 60])
    assert watch.request is not None
    assert watch.request["tags"] == ["greek gods", "prices daily"]
    assert "tags became tags." in watch.took
    assert any(each.startswith("tags xxx") for each in watch.left)
    assert "tags" not in (of_job().request or {})


def test_the_groups_of_a_watch_become_its_tags() -> None:
    settings = {"settings": {"application": {"tags": {"t1": {"title": "Gods"}, "t2": {}}}}}
    own = {"url": "https://example.org/", "tags": ["t1", "t2", "t3"]}
    data = json.dumps({**settings, "watching": {"w": own}}).encode()
    (watch,) = read_watches("changedetection", data)
    assert watch.request is not None
    assert watch.request["tags"] == ["gods"]
