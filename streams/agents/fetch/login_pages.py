"""Login pages that stand in place of a page: an ended session is no change of the page."""

import re
from urllib.parse import unquote

_LOGIN = re.compile(
    r"(?:^|[/._-])(?:log-?in|sign-?in|log-?on|sign-?on|sso|auth|oauth2?|authenticate|authorize)"
    r"(?:$|[/._-])"
)
_PASSWORD = re.compile(
    rb"<input\b[^<>]{0,2000}?\btype\s{0,20}=\s{0,20}[\"']?\s{0,20}password\b", re.IGNORECASE
)


def is_redirected_to_login(asked: str, found: str) -> bool:
    """Return whether a request of a canonical URL ended at another one that asks for a login.

    >>> is_redirected_to_login("https://a.test/news", "https://a.test/users/sign_in?next=%2Fnews")
    True
    >>> is_redirected_to_login("https://a.test/login/news", "https://a.test/login/home")
    False
    """
    return _names_login(found) and not _names_login(asked) and bool(found)


def redirect_reason(url: str) -> str:
    """Return why a page that was redirected to a login page is not there.

    >>> redirect_reason("https://a.test/login?token=hush")
    'a login page instead of the page: redirected to https://a.test/login'
    """
    place = url.partition("?")[0]  # a query may hold a token
    return f"a login page instead of the page: redirected to {place}"


def has_password_field(body: bytes) -> bool:
    """Return whether a page has a field for a password.

    >>> has_password_field(b'<INPUT name=p type="password">')
    True
    """
    return _PASSWORD.search(body) is not None


def _names_login(url: str) -> bool:
    """Return whether path or host of a URL say so, such as ``sso.example.org``."""
    place = url.partition("://")[2].partition("?")[0]
    return _LOGIN.search(unquote(place).lower().replace("_", "-")) is not None
