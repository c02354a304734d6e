"""Cookies by RFC 6265; the examples are the rules of its section 5."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.credentials.cookies import (
    MAX_COOKIE,
    MAX_OF_DOMAIN,
    brought_cookies,
    cookie_header,
    renewed_cookies,
)
from connectors.credentials.input_formats import MAX_SIZE, cookie_size
from schemas.records.credentials import Cookie
from schemas.records.urls import canonical

NOW = 1_700_000_000.0
URL = "https://www.example.org/news/today?x=1"


def sent(line: str, url: str, by: str = URL) -> str:
    """Return what is sent to a URL after an answer with one header."""
    return cookie_header(renewed_cookies((), by, [line], NOW), url, NOW)


@pytest.mark.parametrize(
    ("line", "url", "is_sent"),
    [
        ("s=1", "https://www.example.org/news/", True),
        ("s=1", "https://www.example.org/news", True),
        ("s=1", "https://www.example.org/newspaper", False),
        ("s=1", "https://www.example.org/", False),
        ("s=1; Path=/", "https://www.example.org/", True),
        ("s=1; path=news", "https://www.example.org/news/x", True),
        ("s=1; Path=/", "https://example.org/", False),
        ("s=1; Path=/", "https://a.www.example.org/", False),
        ("s=1; Path=/; Domain=example.org", "https://example.org/", True),
        ("s=1; Path=/; Domain=.Example.org", "https://sso.example.org/", True),
        ("s=1; Path=/; Domain=example.org", "https://badexample.org/", False),
        ("s=1; Path=/; Domain=other.test", "https://other.test/", False),
        ("s=1; Path=/; Domain=other.test", URL, False),
        ("s=1; Path=/; Domain=a.www.example.org", "https://a.www.example.org/", False),
        ("s=1; Path=/; Domain=org", "https://example.org/", False),
        ("s=1; Path=/", "http://www.example.org/", True),
        ("s=1; Path=/; Secure", "http://www.example.org/", False),
        ("s=1; Path=/; Secure; HttpOnly; SameSite=Strict", "https://www.example.org/", True),
        ("s=1; Path=/; Max-Age=60", URL, True),
        ("s=1; Path=/; Max-Age=0", URL, False),
        ("s=1; Path=/; Max-Age=-5; Expires=Wed, 09 Jun 2100 10:18:14 GMT", URL, False),
        ("s=1; Path=/; Expires=Wed, 09 Jun 2100 10:18:14 GMT", URL, True),
        ("s=1; Path=/; Expires=Sunday, 06-Nov-94 08:49:37 GMT", URL, False),
        ("s=1; Path=/; Expires=never; Max-Age=soon", URL, True),
        ("s=1", "https://www.example.org:8443/news/", True),
        ("no-pair", URL, False),
        ("=1", URL, False),
        ("s=\x01", URL, False),
        ("s=" + "x" * MAX_COOKIE, URL, False),
    ],
)
def test_a_cookie_goes_where_its_site_said(line: str, url: str, is_sent: bool) -> None:
    assert sent(line, url) == ("s=1" if is_sent else "")


def test_a_cookie_of_an_address_goes_to_this_address_only() -> None:
    by = "http://10.1.2.3/"
    for domain in ("", "; Domain=10.1.2.3", "; Domain=2.3"):
        assert not sent(f"s=1{domain}", "http://9.1.2.3/", by)
    assert sent("s=1; Domain=10.1.2.3", by, by) == "s=1"
    assert not sent("s=1; Domain=2.3", by, by)
    wide = Cookie("s", "1", ".2.3", host_only=False)
    assert not cookie_header([wide], by, NOW)


def test_a_cookie_of_a_name_without_a_dot_goes_to_no_name_under_it() -> None:
    a, b = Cookie("a", "1", ".com"), Cookie("b", "2", ".localhost")
    cookies = [replace(each, host_only=False) for each in (a, b)]
    assert cookie_header(cookies, "https://bank.com/", NOW) == ""
    assert cookie_header(cookies, "http://localhost/", NOW) == "b=2"


def test_plain_http_neither_sets_nor_replaces_nor_deletes_a_cookie_for_https() -> None:
    kept = renewed_cookies((), URL, ["s=good; Path=/; Secure"], NOW)
    plain = "http://www.example.org/"
    for line in ("s=bad; Path=/", "s=bad; Path=/; Secure", "s=; Path=/; Max-Age=0"):
        assert renewed_cookies(kept, plain, [line], NOW) == kept


def test_a_renewed_cookie_replaces_the_one_with_its_name_domain_and_path() -> None:
    imported = (
        Cookie("s", "old", "example.org", host_only=False),
        Cookie("s", "other", ".example.org", "/news"),
    )
    after = renewed_cookies(imported, URL, ["s=new; Domain=example.org; Path=/"], NOW)
    assert [(each.path, each.value) for each in after] == [("/", "new"), ("/news", "other")]
    assert not renewed_cookies(after[:1], URL, ["s=; Domain=example.org; Path=/; Max-Age=0"], NOW)


@pytest.mark.parametrize(
    ("line", "is_taken"),
    [
        ("__Host-s=1; Path=/; Secure", True),
        ("__host-s=1; Path=/; Secure; Domain=www.example.org", False),
        ("__Host-s=1; Path=/news; Secure", False),
        ("__Host-s=1; Path=/", False),
        ("__Secure-s=1; Path=/; Secure; Domain=example.org", True),
        ("__Secure-s=1; Path=/", False),
    ],
)
def test_a_name_with_a_prefix_keeps_its_promise(line: str, is_taken: bool) -> None:
    assert bool(renewed_cookies((), URL, [line], NOW)) == is_taken


def test_a_name_under_a_host_replaces_no_cookie_that_the_host_has_for_itself() -> None:
    own = Cookie("s", "own", "example.org")
    shared = Cookie("a", "1", ".example.org", host_only=False)
    line = "s=evil; Path=/; Domain=example.org"
    for end in ("", "; Max-Age=0"):
        assert renewed_cookies((own, shared), "https://evil.example.org/", [line + end], NOW) == (
            own,
            shared,
        )
    (renewed, _) = renewed_cookies((own, shared), "https://example.org/", [line], NOW)
    assert renewed.value == "evil"
    evil = Cookie("s", "evil", ".example.org", host_only=False)
    before = (own, shared)
    for after in ((own, shared, evil), (evil, own, shared)):
        assert brought_cookies(before, before, after, NOW) == before


def test_longer_paths_come_first() -> None:
    cookies = [Cookie("a", "1", "www.example.org"), Cookie("b", "2", "www.example.org", "/news")]
    assert cookie_header(cookies, URL, NOW) == "b=2; a=1"


def test_a_cookie_that_has_ended_is_neither_sent_nor_kept() -> None:
    ended = Cookie("s", "1", "www.example.org", expires=int(NOW))
    assert not cookie_header([ended], URL, NOW)
    assert renewed_cookies((ended,), URL, [], NOW) == ()


def test_a_site_that_sets_ever_more_cookies_keeps_its_newest_and_those_of_others() -> None:
    cookies: tuple[Cookie, ...] = (Cookie("other", "1", "other.test"),)
    for number in range(2 * MAX_OF_DOMAIN):
        cookies = renewed_cookies(cookies, URL, [f"n{number}=1; Path=/"], NOW)
    names = [each.name for each in cookies]
    assert names == ["other", *(f"n{n}" for n in range(MAX_OF_DOMAIN, 2 * MAX_OF_DOMAIN))]
    for number in range(40):
        line = f"large{number}={'x' * 3000}; Path=/"
        cookies = renewed_cookies(cookies, URL, [line], NOW)
        assert sum(map(cookie_size, cookies)) <= MAX_SIZE
    assert cookies[0].name == "other"
    assert cookies[-1].name == "large39"


def test_a_cookie_for_which_others_leave_no_room_is_not_kept() -> None:
    full = (Cookie("other", "x" * (MAX_SIZE - 100), "other.test"),)
    assert renewed_cookies(full, URL, [f"s={'x' * 200}"], NOW) == full


def test_where_others_leave_no_room_a_site_keeps_what_it_has() -> None:
    own = Cookie("s", "1", "www.example.org")
    full = (own, Cookie("other", "x" * (MAX_SIZE - 100), "other.test"))
    assert renewed_cookies(full, URL, [f"t={'x' * 200}"], NOW) == full


HOSTS = st.sampled_from(["a.test", "b.a.test", "c.b.a.test", "ba.test", "test", "1.2.3.4"])


@given(by=HOSTS, domain=HOSTS, to=HOSTS, scheme=st.sampled_from(["http", "https"]))
def test_no_site_sets_a_cookie_for_one_that_it_is_not_under(
    by: str, domain: str, to: str, scheme: str
) -> None:
    said = sent(f"s=1; Path=/; Domain={domain}", f"{scheme}://{to}/", f"{scheme}://{by}/")
    under = by.endswith(f".{domain}") and (to == domain or to.endswith(f".{domain}"))
    names = by == domain and to.endswith(f".{domain}")
    assert bool(said) == (by == domain == to or ((under or names) and "." in domain))


@given(
    line=st.text(), path=st.text(st.characters(codec="ascii", exclude_characters="?#"), max_size=20)
)
def test_any_header_leaves_only_what_can_be_sent(line: str, path: str) -> None:
    url = canonical(f"https://a.test/{path}") or "https://a.test/"
    known = Cookie("known", "1", "a.test")
    after = renewed_cookies((known,), url, [line], NOW)
    header = cookie_header([replace(each, path="/") for each in after], url, NOW)
    assert header.encode()
    assert not any(char in header for char in "\r\n\0")


@pytest.mark.parametrize(
    ("kept", "before", "after", "stored"),
    [
        ("a=1 b=1", "a=1 b=1", "a=1 b=1", "a=1 b=1"),
        ("a=1 b=1", "a=1 b=1", "a=2 b=1", "a=2 b=1"),
        ("a=1 b=1", "a=1 b=1", "a=1", "a=1"),
        # Another visit has renewed one, and set another, in the meantime.
        ("a=3 c=1", "a=1", "a=1", "a=3 c=1"),
        ("a=3 c=1", "a=1", "a=2", "a=2 c=1"),
        # The browser did not take one, so it cannot have removed it.
        ("a=1 b=1", "a=1", "a=2", "a=2 b=1"),
    ],
)
def test_of_a_browsers_cookies_only_what_the_visit_changed_is_stored(
    kept: str, before: str, after: str, stored: str
) -> None:
    found = brought_cookies(jar(kept), jar(before), jar(after), NOW)
    assert sorted(found, key=lambda each: each.name) == list(jar(stored))


def test_a_browsers_cookies_of_other_sites_and_large_ones_are_not_stored() -> None:
    before = jar("a=1")
    strange = Cookie("a", "2", ".ads.test", host_only=False)
    large = Cookie("l", "x" * MAX_COOKIE, "www.example.org")
    assert brought_cookies(before, before, (*before, strange, large), NOW) == before
    shared = Cookie("a", "2", ".example.org", host_only=False)
    assert brought_cookies(before, before, (*before, shared), NOW) == before
    wide = (*before, Cookie("w", "1", ".example.org", host_only=False))
    assert shared in brought_cookies(wide, wide, (*wide, shared), NOW)


def test_a_longer_life_is_stored_and_what_a_browser_makes_of_an_end_is_not() -> None:
    (cookie,) = jar("a=1")
    for first, then, is_stored in (
        (NOW + 100, NOW + 130, False),
        (NOW + 100, NOW + 1_000, True),
        (NOW + 10**9, NOW + 400 * 24 * 3600, False),
        (NOW + 100, None, True),
    ):
        was = replace(cookie, expires=int(first))
        later = replace(cookie, expires=None if then is None else int(then))
        assert brought_cookies((was,), (was,), (later,), NOW) == (later if is_stored else was,)


def jar(text: str) -> tuple[Cookie, ...]:
    pairs = (each.split("=") for each in text.split())
    return tuple(Cookie(name, value, "www.example.org") for name, value in pairs)
