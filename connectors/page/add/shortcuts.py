"""Ways to the form of a watch from other programs: a bookmark, a phone's *Share*, an extension."""

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from aiohttp import web

from connectors.languages.texts import gettext
from connectors.page.rendering import Views

SHARE_PATH = "/share"
_URL = re.compile(r"https?://\S+", re.IGNORECASE)


class Shortcuts:
    """The handlers of these ways."""

    def __init__(self, views: Views) -> None:
        """Show with ``views``."""
        self._views = views

    async def share(self, request: web.Request) -> web.Response:
        """Redirect to the form with the page shared by another program; the form needs a session.

        A page in between does, because browsers send our cookie only where our own page leads.
        """
        form = shared_form(request.query)
        title = gettext("Watch a page")
        response = await self._views.page(request, "share", title=title, form=form)
        response.headers["Refresh"] = f"0; url={form}"
        return response

    async def shortcuts(self, request: web.Request) -> web.Response:
        """Answer with a bookmark to drag, and how the others are set up."""
        return await self._views.page(request, "shortcuts", title=gettext("Watch from anywhere"))


def shared_form(query: Mapping[str, str]) -> str:
    """Return the address of the form for a shared page: phones share URLs as text.

    >>> shared_form({"title": "Giants", "text": "Look: https://example.org/giants"})
    '/add?url=https%3A%2F%2Fexample.org%2Fgiants'
    """
    found = _URL.search(query.get("url", "") or query.get("text", "") or query.get("title", ""))
    given = {"url": found[0] if found else "", "quote": query.get("quote", "").strip()}
    return f"/add?{urlencode({name: value for name, value in given.items() if value})}"
