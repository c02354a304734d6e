"""The REST API as a client sees it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from aiohttp import ClientConnectionError, ClientError, ClientSession

from tests.harness.waiting import eventually

OK = (200, "0", "")
NOBODYS = {"documentUrl": "http://127.0.0.1:1024/nobody", "clientUrl": "http://127.0.0.1:1024/"}


@dataclass(frozen=True, slots=True)
class Answer:
    """Status and body of a response."""

    status: int
    body: dict[str, Any]

    @property
    def verdict(self) -> tuple[int, str, str]:
        """What every client reads: status, code, message."""
        return self.status, self.body["code"], self.body["message"]


class Rest:
    """Calls of the API at ``base``."""

    def __init__(self, http: ClientSession, base: str) -> None:
        self._http = http
        self._base = base
        self._subscribed: list[dict[str, str]] = []

    async def post(self, path: str, body: bytes, headers: dict[str, str] | None = None) -> Answer:
        """POST bytes as they are."""
        async with self._http.post(self._base + path, data=body, headers=headers) as response:
            return Answer(response.status, await response.json())

    async def call(self, path: str, body: Any, key: str | None = None) -> Answer:
        """POST a JSON body, optionally with an Idempotency-Key."""
        headers = {"Idempotency-Key": key} if key else {}
        async with self._http.post(self._base + path, json=body, headers=headers) as response:
            return Answer(response.status, await response.json())

    async def get(self, path: str, **query: str) -> Answer:
        """GET with a query."""
        async with self._http.get(self._base + path, params=query) as response:
            return Answer(response.status, await response.json())

    async def put(self, path: str, body: Any) -> Answer:
        """PUT a JSON body."""
        async with self._http.put(self._base + path, json=body) as response:
            return Answer(response.status, await response.json())

    async def subscribe(self, document: str, client: str, *words: str, **more: Any) -> str:
        """Subscribe, by default with an interval of a second; returns the subscription's id."""
        body = {"documentUrl": document, "clientUrl": client, "keywords": words, "interval": 1}
        answer = await self._decided("/subscribe", body | more)
        assert answer.verdict == OK, answer
        self._subscribed.append({"documentUrl": document, "clientUrl": client})
        name: str = answer.body["id"]
        return name

    async def cancel(self, document: str, client: str) -> None:
        """Cancel what there is."""
        answer = await self._decided("/cancel", {"documentUrl": document, "clientUrl": client})
        assert answer.verdict == OK, answer

    async def listed(self, client: str) -> list[dict[str, Any]]:
        """All subscriptions of one client, oldest first."""
        return [item for item in await self.all() if item.get("clientUrl") == client]

    async def all(self) -> list[dict[str, Any]]:
        """All subscriptions, oldest first."""
        return await self.every("subscriptions")

    async def every(self, kind: str) -> list[dict[str, Any]]:
        """All items of a listing that has pages; raises ClientError for any other answer."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            answer = await self.get(f"/{kind}", limit="1000", **cursor)
            page = answer.body
            if answer.status != 200:
                raise ClientError(f"{answer.status}: {page}")
            found += page[kind]
            if page["next"] is None:
                return found
            cursor = {"cursor": page["next"]}

    async def shows(self, expected: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Wait until a subscription is listed as expected; a listing may lag."""

        async def found() -> dict[str, Any] | None:
            return next(filter(expected, await self.all()), None)

        return await eventually(found, f"the listing shows {what}")

    async def history(self, kind: str, **query: str) -> list[dict[str, Any]]:
        """All changes, notifications or deliveries, once there are any; each kind may lag."""

        async def found() -> list[dict[str, Any]]:
            items: list[dict[str, Any]] = (await self.get(f"/{kind}", **query)).body.get(kind, [])
            return items

        return await eventually(found, f"{kind} are listed")

    async def shows_in_history(self, kind: str, count: int, **query: str) -> None:
        """Wait until so many changes, notifications or deliveries are listed."""

        async def are_listed() -> bool:
            return len((await self.get(f"/{kind}", **query)).body.get(kind, [])) == count

        await eventually(are_listed, f"{count} {kind} are listed")

    async def tidy(self) -> None:
        """Cancel what was subscribed, so that nothing goes on looking for pages that are gone."""
        for urls in self._subscribed:
            await self.call("/cancel", urls)

    async def health(self) -> Answer | None:
        """The deployment's health; None while the API does not answer."""
        try:
            return await self.get("/health")
        except ClientConnectionError:
            return None

    async def ready(self) -> Answer:
        """Wait until everything is healthy, and return the health.

        A worker that has joined its group may not work yet: a request must be answered, too.
        """

        async def well() -> Answer | None:
            health = await self.health()
            return health if health is not None and health.status == 200 else None

        await eventually(well, "the deployment is well")
        await self._decided("/cancel", NOBODYS)
        return await eventually(well, "the deployment is well")

    async def _decided(self, path: str, body: Any) -> Answer:
        """Make a call until a worker answers it: one may just have been started again."""
        key = uuid4().hex

        async def decided() -> Answer | None:
            answer = await self.call(path, body, key)
            return None if answer.status == 503 else answer

        return await eventually(decided, f"{path} is answered")


@asynccontextmanager
async def client(port: int) -> AsyncIterator[Rest]:
    """Talk to the API on a port of loopback."""
    async with ClientSession() as http:
        yield Rest(http, f"http://127.0.0.1:{port}/vokter/v1")
