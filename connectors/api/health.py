"""GET /health: the health of the deployment, in short without a key; and the pause of all calls."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from connectors.access.callers import may
from connectors.access.roles import Role
from connectors.api.answers import answer
from connectors.metrics.waiting import Backlog
from connectors.reads.deployment_health import DOWN, OK, Health, HealthReader
from schemas.records.codes import Code

RETRY_AFTER_S = 10
DETAIL = "Partitions are being added to this deployment, which takes about half a minute."


class CallPause:
    """Whether calls are refused; calls begun before are answered."""

    def __init__(self, *allowed: str) -> None:
        """Calls of the paths ``allowed`` are answered at any time."""
        self._allowed = allowed
        self._is_on = False

    def begin(self) -> None:
        """Refuse calls from now on."""
        self._is_on = True

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse a call, or pass the call on."""
        if not self._is_on or request.path in self._allowed:
            return await handler(request)
        refusal = answer(Code.NO_ANSWER, detail=DETAIL)
        refusal.headers["Retry-After"] = str(RETRY_AFTER_S)
        return refusal


class HealthHandler:
    """The handler of the deployment's health."""

    def __init__(
        self, health: HealthReader, backlogs: Callable[[], Awaitable[Sequence[Backlog]]]
    ) -> None:
        """Answer with the findings of ``health``, and with the ``backlogs`` of this machine."""
        self._health = health
        self._backlogs = backlogs

    async def health(self, request: web.Request) -> web.Response:
        """Answer 200 if everything works, else 503 with the problems.

        Why something does not work, where broker and store are, and whose pages wait, is for
        administrators.
        """
        found = await self._health.state()
        is_admin = may(request, Role.ADMIN)
        body = health_json(found, await self._backlogs()) if is_admin else public_json(found)
        return web.json_response(body, status=503 if found.problems else 200)


def health_json(found: Health, backlogs: Sequence[Backlog]) -> dict[str, Any]:
    """Return the full findings."""
    return {
        "status": found.status,
        "deployment": found.deployment,
        "kafka": found.kafka,
        "store": found.store,
        "agents": found.agents,
        "problems": found.problems,
        "backlogs": [each._asdict() for each in backlogs],
    }


def public_json(found: Health) -> dict[str, Any]:
    """Return the public part of the health: working parts and faults.

    >>> public_json(Health("d", "k", "s", {}, ["store: /x cannot be read"]))
    {'status': 'down', 'deployment': 'd', 'agents': {}, 'problems': ['store: down']}
    """
    return {
        "status": found.status,
        "deployment": found.deployment,
        "agents": {name: OK if state == OK else DOWN for name, state in found.agents.items()},
        "problems": [f"{problem.partition(':')[0]}: {DOWN}" for problem in found.problems],
    }
