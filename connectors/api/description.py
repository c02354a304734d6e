"""GET /openapi.json: the API's description in OpenAPI 3.1, openapi.yaml."""

from importlib.resources import files
from typing import Any

import yaml
from aiohttp import web


def description() -> dict[str, Any]:
    """Load the description."""
    text = files(__package__).joinpath("openapi.yaml").read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


class Description:
    """The handler; the file is read once."""

    def __init__(self) -> None:
        """Load the description."""
        self._description = description()

    async def openapi(self, _: web.Request) -> web.Response:
        """Answer with the description as JSON."""
        return web.json_response(self._description)
