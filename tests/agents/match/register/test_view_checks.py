"""What is wrong with a view is refused with code 6, by REST and by topic alike."""

from functools import partial

import pytest

from connectors.readers.selector_syntax import GRAMMARS
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.numbers import NumberOptions
from schemas.records.page_requests import Header
from schemas.records.rendering import Step, WaitFor
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import MAX_EXPRESSION, MAX_SELECTORS, Quote, Selector, ViewOptions
from streams.agents.match.register.requests import Rules, check
from streams.agents.match.register.view_checks import MAX_VIEW, view_faults

H1 = Selector(css="h1")
NAME = "password"
HEADERS = (Header("x-a", "1"),)
UNUSABLE = "it is no XPath 1.0 that can be used: "
NOT_WITH_MAIN = "view.main: select, exclude, attributes and as: rows are not allowed with it"
NOT_WITH_STOCK = "view.stock: number, main, attributes and as: rows are not allowed with it"
LONG = Selector(css="a" * MAX_EXPRESSION)


def with_headers(*headers: tuple[str, str]) -> ViewOptions:
    return ViewOptions(headers=tuple(Header(*each) for each in headers))


@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (ViewOptions(), None),
        (ViewOptions(select=(H1,) * MAX_SELECTORS, exclude=(H1,)), None),
        (ViewOptions(stock=True, select=(H1,), exclude=(H1,)), None),
        (ViewOptions(stock=True, number=NumberOptions()), NOT_WITH_STOCK),
        (ViewOptions(stock=True, main=True), NOT_WITH_STOCK),
        (ViewOptions(stock=True, read_as="rows"), NOT_WITH_STOCK),
        (ViewOptions(select=(H1,) * 11), "view.select: at most 10 selectors are allowed"),
        (ViewOptions(exclude=(H1,) * 11), "view.exclude: at most 10 selectors are allowed"),
        (
            ViewOptions(select=(H1, Selector())),
            "view.select[1]: css, xpath, jsonpath, quote: exa",
        ),
        (ViewOptions(select=(Selector(css=""),)), "view.select[0].css: 1 to 1000 characters"),
        (ViewOptions(select=(H1, Selector(css="a" * 1001))), "view.select[1].css: 1 to 1000"),
        (
            ViewOptions(select=(Selector(css="a" + ":read-write" * 88),)),
            "view.select[0].css: it is a CSS selector with too many pseudo-classes",
        ),
        (
            ViewOptions(exclude=(Selector(css="p >"),)),
            "view.exclude[0].css: it is no CSS selector: Invalid character ' ', at character 2",
        ),
        (
            ViewOptions(select=(Selector(css="p::before"),)),
            "view.select[0].css: it is no CSS selector: Pseudo-element found, at character 2",
        ),
        (
            ViewOptions(select=(Selector(css="p,\n a:foo"),)),
            "view.select[0].css: it is no CSS selector: ':foo' was detected as a pseudo-class",
        ),
        (
            ViewOptions(select=(Selector(css="p:-soup-contains('b')"),)),
            "view.select[0].css: it is no CSS selector that can be used in HTML",
        ),
        (ViewOptions(select=(Selector(css="\ud800"),)), "view.select[0].css: it is no CSS"),
        (ViewOptions(select=(Selector(xpath="\ud800"),)), "view.select[0].xpath: it is no XPath"),
        (ViewOptions(select=(Selector(xpath="count(//p)"),)), None),
        (
            ViewOptions(exclude=(H1, Selector(xpath="count(//p)"))),
            "view.exclude[1].xpath: it finds a text or a number; select the element, without",
        ),
        (ViewOptions(exclude=(Selector(xpath="string(//p)"),)), "view.exclude[0].xpath: it finds"),
        (ViewOptions(exclude=(Selector(xpath="//dc:p"),)), None),
        (ViewOptions(select=(Selector(xpath="//a["),)), "view.select[0].xpath: it is no XPath 1.0"),
        (ViewOptions(select=(Selector(xpath="document('x')"),)), "view.select[0].xpath: it is no"),
        (
            ViewOptions(select=(Selector(xpath="//a[b and (c) or not(//d[document('x')])]"),)),
            f"view.select[0].xpath: {UNUSABLE}Unregistered function, at character 26: docu",
        ),
        (
            ViewOptions(exclude=(H1, Selector(xpath="//a[contains(@b)]"))),
            f"view.exclude[1].xpath: {UNUSABLE}Invalid number of arguments, at character 5: c",
        ),
        (
            ViewOptions(select=(Selector(xpath="//a[re:test(., 'b')]"),)),
            f"view.select[0].xpath: {UNUSABLE}Unregistered function, at character 5: re:test",
        ),
        (
            ViewOptions(select=(Selector(xpath="//a[b | 'c']"),)),
            f"view.select[0].xpath: {UNUSABLE}Invalid type, at character 4: [b | 'c']",
        ),
        (ViewOptions(select=(Selector(xpath="//a[. = 'f(' and (b) mod (2)][last()]"),)), None),
        (ViewOptions(select=(Selector(xpath="//dc:a[@x:b][position() = last()]"),)), None),
        (ViewOptions(select=(Selector(jsonpath="a.b"),)), "view.select[0].jsonpath: it is no JS"),
        (ViewOptions(select=(Selector(jsonpath="$[?" + "@[?" * 200),)), "view.select[0].jsonpath"),
        (
            ViewOptions(select=(Selector(jsonpath="$[?@.price==1e999]"),)),
            "view.select[0].jsonpath: it is no JSONPath that can be used: ",
        ),
        (
            ViewOptions(select=(Selector(quote=Quote(" ")),)),
            "view.select[0].quote.exact: 1 to 1",
        ),
        (ViewOptions(select=(Selector(quote=Quote("a", "b" * 201)),)), "view.select[0].quote.pre"),
        (ViewOptions(ignore=("a", "(?=b)")), "view.ignore[1]: it is no regular expression of RE2"),
        (ViewOptions(ignore=("a",) * 21), "view.ignore: at most 20 patterns of 1 to 500"),
        (ViewOptions(ignore=("",)), "view.ignore: at most 20 patterns of 1 to 500 characters"),
        (ViewOptions(render=True, wait_for=WaitFor(text="a"), steps=(Step(click="b"),)), None),
        (ViewOptions(render=True, screenshot=True), None),
        (ViewOptions(screenshot=True), "view.screenshot: only with view.render"),
        (ViewOptions(render=True, language="de", credentials="a", headers=HEADERS), None),
        (
            ViewOptions(render=True, method="post", body="a"),
            "view.method: a browser gets pages; send a form with view.steps instead",
        ),
        (ViewOptions(steps=(Step(click="b"),)), "view.waitFor, view.steps: only with view.render"),
        (ViewOptions(render=True, wait_for=WaitFor()), "view.waitFor: selector, text, networkIdle"),
        (
            ViewOptions(render=True, wait_for=WaitFor(seconds=31)),
            "view.waitFor.seconds: 1 to 30 seconds",
        ),
        (ViewOptions(render=True, steps=(Step(),)), "view.steps[0]: goto, click, fill, press"),
        (ViewOptions(render=True, steps=(Step(dismiss=True),) * 31), "view.steps: at most 30"),
        (
            ViewOptions(render=True, steps=(Step(dismiss=True), Step(goto="file:///etc/passwd"))),
            "view.steps[1]: goto: an http or https URL is allowed",
        ),
        (
            ViewOptions(render=True, steps=(Step(click="a", value="b"),)),
            "view.steps[0]: value, secret: only with fill",
        ),
        (
            ViewOptions(
                render=True, credentials="c", steps=(Step(fill="a", value="b", secret=NAME),)
            ),
            "view.steps[0]: value, secret: one of them",
        ),
        (
            ViewOptions(render=True, steps=(Step(dismiss=True), Step(fill="a", secret=NAME))),
            "view.steps[1].secret: only with view.credentials",
        ),
        (ViewOptions(select=(LONG,) * 8), f"view: at most {MAX_VIEW:,} characters of JSON"),
        (ViewOptions(main=True, ignore=("a",)), None),
        (
            ViewOptions(main=True, select=(H1,)),
            NOT_WITH_MAIN,
        ),
        (
            ViewOptions(main=True, exclude=(H1,)),
            NOT_WITH_MAIN,
        ),
        (
            ViewOptions(main=True, attributes=("href",)),
            NOT_WITH_MAIN,
        ),
        (ViewOptions(attributes=("href", "data-x"), read_as="rows"), None),
        (ViewOptions(main=True, read_as=" Rows"), NOT_WITH_MAIN),
        (ViewOptions(attributes=("a b",)), "view.attributes: at most 10 names of 1 to 50 letters"),
        (ViewOptions(attributes=("a",) * 11), "view.attributes: at most 10 names of 1 to 50"),
        (ViewOptions(read_as=""), "view.as: 1 to "),
        (ViewOptions(method="post", body="{}", proxy="eu"), None),
        (with_headers(("Accept", "text/csv"), ("X-Api-Version", "")), None),
        (ViewOptions(method="HEAD"), "view.method: GET or POST are allowed"),
        (ViewOptions(method="POST", body="x" * 6_001), "view.body: at most 6,000 characters"),
        (ViewOptions(body="{}"), "view.body: only a POST has one; set view.method to POST"),
        (ViewOptions(proxy="us"), "view.proxy: there is no 'us'; VOKTER_PROXIES names eu"),
        (ViewOptions(language="de\r\nX-Evil: 1"), "view.language: at most 2,000 printable ASCII"),
        (ViewOptions(user_agent="\0"), "view.userAgent: at most 2,000 printable ASCII"),
        (with_headers(*((f"x-{n}", "1") for n in range(21))), "view.headers: at most 20 headers"),
        (with_headers(("a", "1"), ("X-B", "1"), ("x-b", "2")), "view.headers.x-b: the same header"),
        (with_headers(("", "1")), "view.headers..name: 1 to 100 letters, digits and hyphens"),
        (with_headers(("X A", "1")), "view.headers.X A.name: 1 to 100 letters"),
        (with_headers(("X:A", "1")), "view.headers.X:A.name: 1 to 100 letters"),
        (with_headers(("X-A\r\nB", "1")), "view.headers.'X-A\\r\\nB'.name: 1 to 100 letters"),
        (with_headers(("x" * 101, "1")), f"view.headers.{'x' * 50}.name: 1 to 100 letters"),
        (with_headers(("X-A", "1\r\nCookie: a")), "view.headers.X-A.value: at most 2,000"),
        (with_headers(("X-A", "1\0")), "view.headers.X-A.value: at most 2,000 printable ASCII"),
        (with_headers(("X-A", "ü")), "view.headers.X-A.value: at most 2,000 printable ASCII"),
        (with_headers(("X-A", "1" * 2_001)), "view.headers.X-A.value: at most 2,000"),
    ],
)
def test_a_fault_of_a_view_is_named_with_its_position(
    view: ViewOptions, reason: str | None
) -> None:
    request = Subscribe(
        "http://d.test/", Receiver("http://c.test/"), keywords=("a",), options=Options(view=view)
    )
    rules = Rules(60, view_faults=partial(view_faults, GRAMMARS, proxies=["eu"]))
    found = check(request, rules)
    if reason is None:
        assert not isinstance(found, Refusal)
    else:
        assert isinstance(found, Refusal)
        assert (found.code, found.detail.startswith(reason)) == (6, True), found.detail


@pytest.mark.parametrize(
    "name",
    [
        "Host", "Content-Length", "transfer-encoding", "CONNECTION", "Keep-Alive", "TE", "Trailer",
        "Upgrade", "Proxy-Connection", "Expect", "Cookie", "Authorization", "Proxy-Authorization",
        "Accept-Encoding", "Content-Encoding", "If-None-Match", "If-Range", "User-Agent",
        "Accept-Language",
    ],
)  # fmt: skip
def test_headers_that_are_ours_or_secret_are_refused_with_what_to_do(name: str) -> None:
    reason = next(view_faults({}, with_headers(("Accept", "*/*"), (name, "1"))), None)
    assert reason is not None
    assert reason.startswith(f"view.headers.{name}: ")
    is_secret = name in ("Cookie", "Authorization", "Proxy-Authorization")
    assert ("use credentials" in reason) == is_secret


@pytest.mark.parametrize(
    ("flat", "nested", "is_refused"),
    [
        (None, "text/plain", False),
        ("text/plain", " Text/Plain", False),
        ("text/plain", "text/html", True),
        ("text/plain", "rows", False),
    ],
)
def test_two_different_content_types_are_refused(
    flat: str | None, nested: str, is_refused: bool
) -> None:
    options = Options(content_type=flat, view=ViewOptions(read_as=nested))
    request = Subscribe(
        "https://example.org/", Receiver(session="reader"), keywords=("a",), options=options
    )
    found = check(request, Rules(60))
    assert isinstance(found, Refusal) == is_refused
    if isinstance(found, Refusal):
        assert found.code == Code.INVALID_FORMAT
        assert found.detail.startswith("view.as: ")
