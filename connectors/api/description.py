"""The API's description, openapi.yaml, for programs and for people."""

from importlib.resources import files
from typing import Any

import yaml
from aiohttp import web

from connectors.api.reference import page

_NOTHING_ELSE = "default-src 'none'; style-src 'unsafe-inline'"


def description() -> dict[str, Any]:
    """Read the description (OpenAPI 3.1)."""
    text = files(__package__).joinpath("openapi.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


class Description:
    """The handlers; what they give is made once."""

    def __init__(self) -> None:
        """Read the file."""
        self._description = description()
        self._page = page(self._description)

    async def openapi(self, _: web.Request) -> web.Response:
        """The description as JSON."""
        return web.json_response(self._description)

    async def docs(self, _: web.Request) -> web.Response:
        """The description as a page that loads and runs nothing."""
        headers = {"Content-Security-Policy": _NOTHING_ELSE}
        return web.Response(text=self._page, content_type="text/html", headers=headers)
