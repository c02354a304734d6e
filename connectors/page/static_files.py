"""The style sheet and the scripts: files of this package, loaded once."""

from hashlib import sha256
from importlib.resources import files

from aiohttp import web

from connectors.page.rendering import HEADERS

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_YEAR_S = 31_536_000


class StaticFiles:
    """Serves the files at addresses that change with their content."""

    def __init__(self) -> None:
        """Load the files."""
        folder = files("connectors.page").joinpath("static")
        self._files = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
        self._tags = {name: sha256(body).hexdigest()[:12] for name, body in self._files.items()}

    def address(self, name: str) -> str:
        """Return the path of a file, with a tag of its content."""
        return f"/static/{name}?{self._tags[name]}"

    async def serve(self, request: web.Request) -> web.Response:
        """Answer with a file."""
        name = request.match_info["name"]
        if name not in self._files:
            raise web.HTTPNotFound
        tag = self._tags[name]
        age = f"public, max-age={_YEAR_S}, immutable" if request.query_string == tag else "no-cache"
        headers = {**HEADERS, "Cache-Control": age}
        kind = _TYPES[name.rpartition(".")[2]]
        return web.Response(
            body=self._files[name], headers=headers, content_type=kind, charset="utf-8"
        )
