import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.urls import MAX_URL, _canonical, canonical, host, hostname


@pytest.mark.parametrize(
    ("given_url", "expected"),
    [
        ("http://example.com", "http://example.com/"),
        ("HTTP://Example.COM:80/", "http://example.com/"),
        ("https://example.com:443/a", "https://example.com/a"),
        ("https://example.com:80/a", "https://example.com:80/a"),
        ("http://example.com:/a", "http://example.com/a"),
        ("http://example.com/a/./b/../c/", "http://example.com/a/c/"),
        ("http://example.com/../a/..", "http://example.com/"),
        ("http://example.com/%2e%2E/a", "http://example.com/a"),
        ("http://example.com/a//b", "http://example.com/a//b"),
        ("http://example.com/%7euser/%c3%a9", "http://example.com/~user/%C3%A9"),
        ("http://example.com/é?q=ü", "http://example.com/%C3%A9?q=%C3%BC"),
        ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
        ("http://example.com/100%", "http://example.com/100%25"),
        ("http://example.com/a?b=%20c+d&e=/?", "http://example.com/a?b=%20c+d&e=/?"),
        ("http://example.com?a", "http://example.com/?a"),
        ("http://example.com/a#b?c", "http://example.com/a"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://my_host.local:8080/", "http://my_host.local:8080/"),
        ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
        ("http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://[::ffff:127.0.0.1]/", "http://127.0.0.1/"),
        (" http://example.com/\n", "http://example.com/"),
        ("http://example.com/a b?c d", "http://example.com/a%20b?c%20d"),
        ("http://example.com/a\tb\r\nc", "http://example.com/abc"),
        ("http:\\\\example.com\\a\\..\\b", "http://example.com/b"),
        ("http://example.com\\@evil.example/", "http://example.com/@evil.example/"),
        ("http://example.com/?a\\b", "http://example.com/?a%5Cb"),
    ],
)
def test_spellings_of_one_url_have_one_canonical_form(given_url: str, expected: str) -> None:
    assert canonical(given_url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.com",
        "ftp://example.com/",
        "http:///path",
        "http://",
        "http://user@example.com/",
        "http:\\\\user@example.com\\",
        "http://user:secret@example.com/",
        "http://example.com/\x00",
        "http://example.com/\ud800",
        "http://example.com:65536/",
        "http://example.com:0/",
        "http://example.com:8o/",
        "http://exa mple.com/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://a..b/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.0.0.01/",
        "http://example.com/" + "a" * MAX_URL,
        "http://example.com/" + "é" * 1_000,
    ],
)
def test_what_is_no_plain_http_url_is_refused(url: str) -> None:
    assert canonical(url) is None


def test_a_url_of_the_greatest_length_is_accepted() -> None:
    url = "http://example.com/".ljust(MAX_URL, "a")
    assert canonical(url) == url


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_a_canonical_url_is_its_own_canonical_form(name: str, path: str, query: str) -> None:
    for url in (name, f"http://{name}", f"https://example.com:8080/{path}?{query}"):
        once = canonical(url)
        assert once is None or canonical(once) == once


@given(st.text(alphabet="ab./%2e?#é:", max_size=30))
def test_a_canonical_path_has_no_dot_segments(path: str) -> None:
    url = canonical("http://example.com/" + path)
    assert url is not None
    segments = url.removeprefix("http://example.com/").partition("?")[0].split("/")
    assert not {".", ".."} & set(segments)


def test_the_host_of_a_canonical_url_has_its_port_if_it_is_not_the_default() -> None:
    assert host("http://example.com/a/b") == "example.com"
    assert host("http://[::1]:8080/") == "[::1]:8080"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a.test/", "a.test"),
        ("http://a.test:8080/b:9?c:1", "a.test"),
        ("http://a.test./", "a.test"),
        ("https://[2001:db8::1]/", "[2001:db8::1]"),
        ("https://[2001:db8::1]:444/", "[2001:db8::1]"),
        ("http://127.0.0.1:1/", "127.0.0.1"),
    ],
)
def test_a_host_name_is_without_port_and_final_dot(url: str, name: str) -> None:
    assert hostname(url) == name


def test_no_long_text_is_remembered() -> None:
    _canonical.cache_clear()
    assert canonical("http://example.com/" + "x" * MAX_URL) is None
    for number in range(1_000):
        assert canonical(f"HTTP://example.com/{number}") == f"http://example.com/{number}"
    info = _canonical.cache_info()
    assert info.misses == 1_000
    assert info.currsize == info.maxsize == 256
