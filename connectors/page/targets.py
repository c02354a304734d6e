"""Where to go after signing in."""

import re

_OWN_PATH = re.compile(r"/(?![/\\])[!-~]*")
MAX_PATH = 1_500
"""Characters, so that the cookie of a sign-in has room for it."""


def own_path(path: str) -> str:
    """Return where to go after signing in, never to another site.

    >>> own_path("/watch/1?a=b"), own_path("//evil.example/"), own_path("https://evil.example/")
    ('/watch/1?a=b', '/', '/')
    """
    return path if len(path) <= MAX_PATH and _OWN_PATH.fullmatch(path) else "/"
