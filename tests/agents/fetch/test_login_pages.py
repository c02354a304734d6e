"""A URL and a page say that they ask for a login."""

import pytest

from streams.agents.fetch.login_pages import has_password_field, is_redirected_to_login


@pytest.mark.parametrize(
    ("asked", "found", "is_login"),
    [
        ("http://a.test/news", "http://a.test/login", True),
        ("http://a.test/news", "https://sso.a.test/", True),
        ("http://a.test/news", "http://a.test/a/Sign%2Din/?next=/news", True),
        ("http://a.test/news", "http://a.test/oauth2/authorize", True),
        ("http://a.test/news", "http://a.test/news?login=1", False),
        ("http://a.test/news", "http://a.test/blogins/authors", False),
        ("http://a.test/login/news", "http://a.test/login/home", False),
        ("http://a.test/news", "", False),
    ],
)
def test_a_url_says_that_it_asks_for_a_login(asked: str, found: str, is_login: bool) -> None:
    assert is_redirected_to_login(asked, found) == is_login


@pytest.mark.parametrize(
    ("body", "has_field"),
    [
        (b"<input type=password>", True),
        (b"<INPUT id='p' autocomplete=off type=\"password\" />", True),
        (b"<input type=text name=password>", False),
        (b"type=password", False),
        (b"<input " * 200_000, False),
    ],
)
def test_a_page_has_a_field_for_a_password(body: bytes, has_field: bool) -> None:
    assert has_password_field(body) == has_field
