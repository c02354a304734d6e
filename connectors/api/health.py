"""GET /health: the health of the deployment, in short for who has no key."""

from typing import Any

from aiohttp import web

from connectors.access.callers import may
from connectors.access.roles import Role
from connectors.reads.deployment_health import DOWN, OK, Health, HealthReader


class HealthHandler:
    """The handler of the deployment's health."""

    def __init__(self, health: HealthReader) -> None:
        """Answer with what ``health`` finds."""
        self._health = health

    async def health(self, request: web.Request) -> web.Response:
        """Answer 200 if everything works, else 503 with the problems.

        Why something does not work, and where broker and store are, is for administrators.
        """
        found = await self._health.state()
        body = health_json(found) if may(request, Role.ADMIN) else public_json(found)
        return web.json_response(body, status=503 if found.problems else 200)


def health_json(found: Health) -> dict[str, Any]:
    """Return all that is known."""
    return {
        "status": found.status,
        "deployment": found.deployment,
        "kafka": found.kafka,
        "store": found.store,
        "stages": found.stages,
        "problems": found.problems,
    }


def public_json(found: Health) -> dict[str, Any]:
    """Return what anybody may know of the health: what works, and what does not.

    >>> public_json(Health("d", "k", "s", {}, ["store: /x cannot be read"]))
    {'status': 'down', 'deployment': 'd', 'stages': {}, 'problems': ['store: down']}
    """
    return {
        "status": found.status,
        "deployment": found.deployment,
        "stages": {name: OK if state == OK else DOWN for name, state in found.stages.items()},
        "problems": [f"{problem.partition(':')[0]}: {DOWN}" for problem in found.problems],
    }
