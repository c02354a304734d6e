"""Credentials as people give them; no refusal quotes a secret."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.credentials.errors import InvalidCredentials
from connectors.credentials.input_formats import (
    MAX_SIZE,
    check_size,
    checked_name,
    parse_credentials,
)
from schemas.records.credentials import Cookie, Credentials, LocalItem

SITE = "https://example.org/login?next=1"
NTFY = "ntfy://secret"
DAILY = {"address": NTFY, "digest": "daily"}
LINE = "example.org\tFALSE\t/\tTRUE\t0\ts\tsecret"


def test_headers_are_for_the_origin_of_their_url() -> None:
    body = {"for": SITE, "headers": ["Authorization: Bearer a:b", "X-Id:  7 "]}
    headers = (("Authorization", "Bearer a:b"), ("X-Id", "7"))
    assert parse_credentials(body) == Credentials("header", "https://example.org", headers)


def test_a_user_name_and_password_become_the_header_of_rfc_7617() -> None:
    body = {"for": "http://a.test:8080/x", "basic": {"user": "Aladdin", "password": "open sesame"}}
    header = ("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    assert parse_credentials(body) == Credentials("basic", "http://a.test:8080", (header,))


def test_a_netscape_file_is_read_as_curl_and_extensions_write_it() -> None:
    lines = [
        "# Netscape HTTP Cookie File",
        "",
        "#HttpOnly_.example.org\tTRUE\t/\tTRUE\t1900000000\tsession\ta=b",
        "www.example.org\tFALSE\t/news\tFALSE\t1900000000.25\tempty\t",
        "www.example.org\tFALSE\t/\tFALSE\t0\tended",
    ]
    text = "\r\n".join(lines)
    assert parse_credentials({"cookies": text}).cookies == (
        Cookie("session", "a=b", ".example.org", "/", True, False, 1_900_000_000, True),
        Cookie("empty", "", "www.example.org", "/news", False, True, 1_900_000_000),
        Cookie("ended", "", "www.example.org", "/", False, True, None),
    )


def test_a_storage_state_is_read_as_playwright_writes_it() -> None:
    state = {
        "cookies": [
            {
                "name": "s", "value": "v", "domain": ".example.org", "path": "/", "expires": -1,
                "httpOnly": True, "secure": True, "sameSite": "Lax",
            },
            {"name": "t", "value": "w", "domain": "example.org", "path": "/a", "expires": 17.5},
        ],
        "origins": [{"origin": "https://example.org", "localStorage": []}],
    }  # fmt: skip
    found = parse_credentials({"storage": state})
    assert found == Credentials(
        "storage",
        cookies=(
            Cookie("s", "v", ".example.org", "/", True, False, None, True),
            Cookie("t", "w", "example.org", "/a", False, True, 17),
        ),
    )
    assert found.sent_to == "example.org"


def test_with_a_url_only_the_cookies_of_its_site_are_kept() -> None:
    domains = ".example.org", "www.example.org", "sso.www.example.org", "bank.test", "org", "a@b"
    text = "\n".join(f"{each}\tTRUE\t/\tTRUE\t0\ts\tsecret" for each in domains)
    found = parse_credentials({"for": "https://www.example.org/", "cookies": text})
    assert [each.domain for each in found.cookies] == list(domains[:3])
    with pytest.raises(InvalidCredentials, match="no cookie for other"):
        parse_credentials({"for": "https://other.test/", "cookies": LINE})


@pytest.mark.parametrize("domain", ["0.0.1", ".0.0.1", "0.1", "1", "9.127.0.0.1"])
def test_no_cookie_is_for_an_address_by_the_end_of_it(domain: str) -> None:
    text = f"{domain}\tTRUE\t/\tFALSE\t0\ts\tsecret"
    with pytest.raises(InvalidCredentials, match=r"no cookie for 127\.0\.0\.1"):
        parse_credentials({"for": "http://127.0.0.1/", "cookies": text})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("127.0.0.1", Cookie("s", "x", "127.0.0.1")),
        (".localhost", Cookie("s", "x", "localhost")),
        ("b\u00fccher.test", Cookie("s", "x", "xn--bcher-kva.test", host_only=False)),
    ],
)
def test_a_domain_is_kept_as_requests_spell_it(given: str, kept: Cookie) -> None:
    found = parse_credentials({"cookies": f"{given}\tTRUE\t/\tFALSE\t0\ts\tx"})
    assert found.cookies == (kept,)


def local(origin: str, *items: dict[str, str]) -> dict[str, Any]:
    return {"cookies": [], "origins": [{"origin": origin, "localStorage": list(items)}]}


def test_a_local_storage_is_taken_for_the_site_that_it_belongs_to() -> None:
    item = {"name": "token", "value": "t1"}
    state = local("https://example.org", item)
    state["origins"] += local("https://other.test", item)["origins"]
    found = parse_credentials({"for": "https://example.org/a", "storage": state})
    assert found.local == (LocalItem("https://example.org", "token", "t1"),)
    assert found.sent_to == "example.org"


def cookie(**changed: str) -> dict[str, Any]:
    return {"cookies": [{"name": "s", "value": "secret", "domain": "a.test", **changed}]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "one of header, headers, basic, cookies, storage, secrets and channel is expected"),
        ({"secrets": {"a": "secret"}}, "for: the URL is expected"),
        ({"for": SITE, "secrets": {}}, "secrets: an object with 1 to 20 secrets"),
        ({"channel": {"address": NTFY, "digest": "hourly"}}, "digest: off, daily or weekly"),
        ({"channel": {"address": NTFY, "hour": 8}}, "hour: only a digest has one"),
        ({"channel": {"address": NTFY, "language": "nl"}}, "language: en, de, es, fr, ja, zh-Hans"),
        ({"channel": {**DAILY, "weekday": "monday"}}, "weekday: only a weekly digest has one"),
        ({"channel": {**DAILY, "hour": 24}}, "hour: a whole number from 0 to 23 is expected"),
        ({"channel": {**DAILY, "hour": True}}, "hour: a whole number from 0 to 23 is expected"),
        ({"channel": {**DAILY, "timezone": "../x"}}, "timezone: the IANA name of a time zone"),
        (
            {"channel": {**DAILY, "digest": "weekly", "weekday": 1}},
            "weekday: monday, tuesday, wednesday, thursday, friday, saturday or sunday is expected",
        ),
        ({"for": SITE, "secrets": {"a": ""}}, "secrets: a is no string"),
        ({"for": SITE, "secrets": {"a b": "secret"}}, "secrets: names of 1 to 64 letters"),
        ({"cookies": LINE, "header": "A: secret"}, "one of header"),
        ({"header": "A: secret", "fro": SITE}, "fro: there is no such field"),
        ({"header": "A: secret"}, "for: the URL is expected"),
        ({"for": "https://me:secret@a.test", "header": "A: b"}, "for: an http or https URL"),
        *(
            ({"for": each, "header": "A: b"}, "for: an http or https URL without user name")
            for each in (
                "http://127.0.0.1#@x/",
                "http://127.0.0.1?@x/",
                "http://127.0.0.1\\@x/",
                "http:\\\\127.0.0.1#@x/",
                "http:/\t/127.0.0.1#@x/",
            )
        ),
        *(
            ({"cookies": LINE.replace("example.org", each)}, f"domain {each}, which is no host")
            for each in ("0.0.1", "a@b.test", "a.test#b", "a_.test/b")
        ),
        ({"for": SITE, "header": "secret-without-a-name"}, "header: 'Name: value'"),
        ({"for": SITE, "header": "A: secret\r\nB: c"}, "header: 'Name: value'"),
        ({"for": SITE, "header": "A b: secret"}, "header: 'Name: value'"),
        ({"for": SITE, "header": "A:"}, "header: 'Name: value'"),
        ({"for": SITE, "header": 7}, "header: a string"),
        ({"for": SITE, "header": "hOst: secret"}, "header: hOst is no credentials"),
        ({"for": SITE, "headers": []}, "headers: a list of 1 to 20"),
        ({"for": SITE, "headers": ["A: secret"] * 21}, "headers: a list of 1 to 20"),
        ({"for": SITE, "basic": {"user": "me"}}, "basic: an object with user and password"),
        ({"for": SITE, "basic": {"user": "m:e", "password": "secret"}}, "without ':'"),
        ({"for": SITE, "basic": {"user": "me", "password": "secret\n"}}, "control characters"),
        ({"for": SITE, "basic": {"user": "me", "password": 7}}, "are strings"),
        ({"cookies": "# nothing"}, "there is no cookie in it"),
        ({"cookies": "secret=secret"}, "line 1 has 1 fields, expected 7"),
        ({"cookies": LINE.replace("0", "secret")}, "line 1 has no number of seconds"),
        ({"cookies": f"{LINE}\x01"}, "not sendable"),
        ({"cookies": [LINE]}, "cookies: a string"),
        ({"storage": "{secret"}, "this is not JSON"),
        ({"storage": {"cookies": [{"name": 7}]}}, r"cookies\[0\].name is no string"),
        ({"storage": {"cookies": ["secret"]}}, r"cookies\[0\] is no object"),
        ({"storage": {"cookies": [{"expires": "secret"}]}}, r"cookies\[0\].expires is no number"),
        ({"storage": []}, "an object with a list of cookies"),
        ({"storage": cookie(domain="a\ud800.test")}, "storage: a cookie without domain or name"),
        ({"storage": cookie(path="/\ud800")}, "storage: a cookie without domain or name"),
        ({"storage": {"cookies": []}}, "there is no cookie and no local storage in it"),
        ({"storage": local("secret")}, r"origins\[0\] is not an origin with a list localStorage"),
        ({"storage": local(SITE, {"name": "secret"})}, r"localStorage\[0\] has no name and value"),
    ],
)
def test_what_is_no_credentials_is_refused_with_its_field_and_without_its_secret(
    body: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidCredentials, match=said) as caught:
        parse_credentials(body)
    assert "secret" not in str(caught.value).replace("secrets", "the field")


@pytest.mark.parametrize("name", ["", "a b", "a/b", "-a", "ä", "a" * 65, "a\n"])
def test_a_name_may_be_part_of_a_path_and_of_a_message(name: str) -> None:
    with pytest.raises(InvalidCredentials, match="name: 1 to 64"):
        checked_name(name)


def test_credentials_have_a_largest_size() -> None:
    cookie = Cookie("s", "v" * (MAX_SIZE - 30), "example.org")
    check_size(Credentials("cookies", cookies=(cookie,)))
    with pytest.raises(InvalidCredentials, match="more than the 65536"):
        check_size(Credentials("cookies", cookies=(cookie, cookie)))
    item = LocalItem("https://example.org", "token", "v" * 100)
    with pytest.raises(InvalidCredentials, match=r"storage: \d+ bytes are more"):
        check_size(Credentials("storage", cookies=(cookie,), local=(item,)))


def test_no_secret_is_in_the_representation_of_credentials() -> None:
    header = parse_credentials({"for": SITE, "header": "Authorization: secret"})
    assert "secret" not in repr(header) + repr(parse_credentials({"cookies": LINE}))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["for", "header", "basic", "cookies", "storage"]), ANYTHING))
def test_anything_is_credentials_or_refused(body: dict[str, Any]) -> None:
    try:
        found = parse_credentials(body)
    except InvalidCredentials:
        return
    assert found.headers or found.cookies
