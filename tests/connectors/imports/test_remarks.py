"""What is said of a watch's parts is true of the request that it becomes."""

import json
from typing import Any

import pytest

from connectors.imports.draft import ImportedWatch
from connectors.imports.names import Tool
from connectors.imports.tools import read_watches
from connectors.patterns import matched_spans


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


def of_price(**settings: Any) -> ImportedWatch:
    return of_watch(processor="restock_diff", restock_settings=settings, ignore_text=["views"])


def test_the_limits_of_a_price_become_conditions_of_its_number() -> None:
    watch = of_price(
        price_change_min=290.0, price_change_max="1299.50", price_change_threshold_percent=2.0,
        in_stock_processing="in_stock_only",
    )  # fmt: skip
    assert view_of(watch)["number"] == {"from": "product"}
    assert watch.request is not None
    assert watch.request["when"] == {"below": "290", "above": "1299.5", "changesBy": "2"}
    assert "restock_settings: any of the conditions suffices." in watch.differs
    assert any("in_stock_processing" in each for each in watch.left)


def test_a_price_without_limits_is_notified_of_each_change() -> None:
    watch = of_price(price_change_min=None, price_change_max="", in_stock_processing="off")
    assert watch.request is not None
    assert "when" not in watch.request
    assert watch.left == ()
    assert any("price_change_min" in each for each in of_price(price_change_min="low").left)


@pytest.mark.parametrize(("overrides", "limit"), [(True, "99"), (False, "290")])
def test_a_group_may_override_the_limits_of_its_watches(overrides: bool, limit: str) -> None:
    group = {"overrides_watch": overrides, "restock_settings": {"price_change_min": 99}}
    own = {
        "url": "https://example.org/",
        "tags": ["t"],
        "processor": "restock_diff",
        "restock_settings": {"price_change_min": 290},
    }
    settings = {"application": {"tags": {"t": group}}}
    data = json.dumps({"settings": settings, "watching": {"w": own}}).encode()
    (watch,) = read_watches("changedetection", data)
    assert watch.request is not None
    assert watch.request["when"] == {"below": limit}


@pytest.mark.parametrize(
    ("changes", "keywords"), [("in_stock_only", ['"in stock"']), ("all_changes", ["*"])]
)
def test_a_watch_of_the_stock_alone_reads_the_stock(changes: str, keywords: list[str]) -> None:
    watch = of_price(follow_price_changes=False, in_stock_processing=changes)
    assert "number" not in view_of(watch)
    assert view_of(watch)["stock"] is True
    assert watch.request is not None
    assert watch.request["keywords"] == keywords
    assert watch.request.get("ignoreRemoved", False) == (changes == "in_stock_only")


def test_a_watch_of_neither_the_price_nor_the_stock_compares_the_text() -> None:
    watch = of_price(follow_price_changes=False, in_stock_processing="off")
    assert not {"number", "stock"} & view_of(watch).keys()
    assert view_of(watch)["ignore"]


def test_blanks_at_the_ends_of_lines_are_not_asked_for() -> None:
    rules = [r"/^\s+Active \d+ (hours|minutes) ago$/", r"/\s+Sold/", "/^ *x$|^[ \\t]{2,}y\\s*$/"]
    patterns = view_of(of_watch(ignore_text=rules))["ignore"]
    text = "Fan\nActive 5 minutes ago\nSold 3\nx\ny\nUnsold 3"
    spans = matched_spans(text, patterns)
    assert [text[start:end] for start, end in spans] == [
        "Active 5 minutes ago", "Sold 3", "x", "y",
    ]  # fmt: skip


def test_texts_that_trigger_become_keywords_beside_an_expression() -> None:
    watch = of_watch(trigger_text=["in stock", r"/\d+ left/", r"/sold\s+out/i"])
    assert watch.request is not None
    assert watch.request["keywords"] == ['"in stock"', '"sold out"']
    assert watch.left == (r"trigger_text /\d+ left/: a keyword is words; what it finds is missed.",)


@pytest.mark.parametrize(("tries", "expected"), [(12, 12), ("3", 3), (50, 20), (0, None)])
def test_the_tries_of_a_job_are_the_failures_before_a_notice(
    tries: Any, expected: int | None
) -> None:
    watch = of_job("urlwatch", max_tries=tries, ignore_http_error_codes=522)
    assert watch.request is not None
    assert watch.request["notifyFailures"] is True
    assert watch.request.get("failingAfter") == expected
    assert any(each.startswith("ignore_http_error_codes: ") for each in watch.differs)


def test_a_job_that_keeps_quiet_about_failures_gets_no_notices() -> None:
    watch = of_job("urlwatch", max_tries=3, ignore_connection_errors=True)
    assert watch.request is not None
    assert "notifyFailures" not in watch.request
    assert "failingAfter" not in watch.request
    assert "max_tries: it is no whole number." in of_job("urlwatch", max_tries="many").left
