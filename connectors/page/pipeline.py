"""How the deployment is: its stages, broker and store."""

from aiohttp import web

from connectors.api.health import OK, HealthHandler
from connectors.page.rendering import Views


class PipelineHandler:
    """The handler of the stages' health."""

    def __init__(self, health: HealthHandler, views: Views) -> None:
        """Show what ``GET /health`` says."""
        self._health = health
        self._views = views

    async def pipeline(self, request: web.Request) -> web.Response:
        """Answer with the state of each stage, and with all problems."""
        found = await self._health.state()
        stages = [
            {"name": name, "is_ok": state == OK, "state": state}
            for name, state in found["stages"].items()
        ]
        return await self._views.page(
            request, "pipeline", title="Pipeline", found=found, stages=stages
        )
