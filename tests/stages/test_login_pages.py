"""A login page in place of a page behind a login is a failure, and no change."""

from dataclasses import dataclass

import pytest

from schemas.answers import Response
from schemas.fetches import Due
from schemas.subscriptions import Options
from schemas.views import ViewOptions
from streams.core.fetching.login_pages import has_password_field, is_redirected_to_login
from streams.fetch.visit import visit
from tests.fakes.snapshots import stored_under
from tests.fakes.views import views_of
from tests.fakes.visiting import MINUTE, URL
from tests.fakes.world import Scene

(PRIVATE,) = views_of(Options(view=ViewOptions(credentials="news")))
FORM = b"zeus <form><input name=p TYPE = 'password'></form>"


@dataclass
class Visits:
    """Visits of a page with credentials, one slot after another."""

    scene: Scene
    slot: int = 0

    async def answered(self, body: bytes, url: str = URL) -> tuple[int, str | None, int]:
        """Return failures, last error and published facts after an answer."""
        self.slot += 1
        self.scene.web.pages[URL] = Response(200, body, "text/plain", url=url)
        due = Due(URL, "w", self.slot * MINUTE, (PRIVATE,), interval=60)
        await visit(self.scene.effects(), due, None)
        document = self.scene.store.documents[stored_under(URL, PRIVATE.id)]
        return document.failures, document.last_error, len(self.scene.published)


async def test_a_redirect_to_a_login_page_is_a_failure_that_hides_the_query() -> None:
    visits = Visits(Scene())
    assert await visits.answered(b"zeus") == (0, None, 0)
    reason = "a login page instead of the page: redirected to http://d.test/users/sign_in"
    assert await visits.answered(b"hello", "http://d.test/users/sign_in?t=hush") == (1, reason, 0)
    assert await visits.answered(b"zeus") == (0, None, 0)


async def test_a_field_for_a_password_where_there_was_none_is_a_failure() -> None:
    visits = Visits(Scene())
    assert await visits.answered(b"zeus") == (0, None, 0)
    reason = "a login page instead of the page: it asks for a password"
    assert await visits.answered(FORM) == (1, reason, 0)
    assert await visits.answered(FORM) == (2, reason, 0)
    assert await visits.answered(b"zeus and argus") == (0, None, 1)


async def test_a_page_that_always_had_such_a_field_is_read() -> None:
    visits = Visits(Scene())
    assert await visits.answered(FORM) == (0, None, 0)
    assert await visits.answered(FORM + b" argus") == (0, None, 1)


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
