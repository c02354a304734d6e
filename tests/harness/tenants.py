"""Two tenants of one deployment, each with a key, a page and a webhook that checks signatures."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientSession, web
from standardwebhooks import Webhook, WebhookVerificationError

from connectors.access.keys import ApiKey, new_key, save_keys
from tests.harness.hooks import Hook, Hooks, Post
from tests.harness.pages import Page, Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually

QUOTA = 12
BEFORE = "<p>the giant <b>sleeps</b>"


def is_signed(secrets: set[str], headers: Mapping[str, str], raw: bytes) -> bool:
    """Whether one of these secrets signed a POST."""
    for secret in secrets:
        try:
            Webhook(secret).verify(raw, dict(headers))
        except WebhookVerificationError:
            continue
        return True
    return False


@dataclass
class CarefulHook(Hook):
    """Accepts what its owner's secrets have signed; answers strangers ``refusal``."""

    secrets: set[str] = field(default_factory=set)
    refusal: int = 401

    def answer(self, headers: Mapping[str, str], raw: bytes) -> web.Response:
        status = 204 if is_signed(self.secrets, headers, raw) else self.refusal
        self.posts.append(Post(headers, raw, status))
        return web.Response(status=status)

    @property
    def accepted(self) -> list[Post]:
        """The POSTs that were its owner's."""
        return [post for post in self.posts if post.status == 204]


@dataclass
class Tenant:
    """A manager with its key, its page, and its webhook."""

    name: str
    http: ClientSession
    base: str
    page: Page
    hook: CarefulHook
    subscription: str = ""

    def __post_init__(self) -> None:
        self.rest = Rest(self.http, self.base)

    async def watch(self, page: Page, hook: CarefulHook, **more: Any) -> str:
        """Subscribe to a page, and let the hook know the secret; returns the subscription's id."""
        body = {"documentUrl": page.url, "clientUrl": hook.url, "keywords": ["*"], "interval": 1}
        answer = await self.rest.call("/subscribe", body | more)
        assert answer.status == 200, answer
        hook.secrets.add(answer.body["secret"])
        return str(answer.body["id"])

    async def state(self, subscription: str) -> dict[str, Any]:
        """The listing's entry of a subscription, once there is one."""

        async def found() -> dict[str, Any] | None:
            answer = await self.rest.get(f"/subscriptions/{subscription}")
            return answer.body if answer.status == 200 else None

        return await eventually(found, "it is listed")


@asynccontextmanager
async def two_tenants(
    deployment: Deployment, pages: Pages, hooks: Hooks
) -> AsyncIterator[list[Tenant]]:
    """Make the keys of two managers, and let each watch its page."""
    base, keys, tenants = f"http://127.0.0.1:{deployment.settings.port}/vokter/v1", [], []
    sessions: list[ClientSession] = []
    try:
        for name in ("anna", "bert"):
            secret, key = _key(name)
            keys.append(key)
            sessions.append(ClientSession(headers={"Authorization": f"Bearer {secret}"}))
            page, hook = pages.add(BEFORE), hooks.add(CarefulHook)
            assert isinstance(hook, CarefulHook)
            tenants.append(Tenant(name, sessions[-1], base, page, hook))
        save_keys(deployment.settings.keys_file, keys)
        yield tenants
    finally:
        for session in sessions:
            await session.close()


def _key(manager: str) -> tuple[str, ApiKey]:
    return new_key(manager, QUOTA, None)
