"""The start fails when aiohttp no longer uses the private part that the limits replace."""

import tomllib
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from aiohttp import TCPConnector
from aiohttp.client_proto import ResponseHandler

from connectors.http.egress import EgressGuard
from connectors.http.fetcher import Fetcher
from connectors.http.limits import Meter
from connectors.http.self_check import LimitsNotEnforced, verify_limits
from connectors.webhook import WebhookSender
from schemas.records.egress_policy import EgressPolicy

ROOT = Path(__file__).parents[3]
GUARD = EgressGuard(EgressPolicy())


def _original(connector: Any) -> Any:
    return partial(ResponseHandler, loop=connector._loop)


@pytest.fixture
def _renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An aiohttp that makes its connections with something else than ``_factory``."""
    ignored = property(_original, lambda _connector, _factory: None)
    monkeypatch.setattr(TCPConnector, "_factory", ignored, raising=False)


async def test_the_limits_are_enforced_by_the_installed_aiohttp() -> None:
    await verify_limits()


@pytest.mark.usefixtures("_renamed")
async def test_a_fetcher_does_not_start_when_its_limits_are_not_enforced() -> None:
    with pytest.raises(LimitsNotEnforced, match=f"aiohttp {version('aiohttp')} does not enforce"):
        async with Fetcher(GUARD):
            pass


@pytest.mark.usefixtures("_renamed")
async def test_a_webhook_sender_does_not_start_when_its_limits_are_not_enforced() -> None:
    with pytest.raises(LimitsNotEnforced, match="pip install"):
        async with WebhookSender(GUARD, b"key"):
            pass


@pytest.mark.parametrize(("part", "check"), [("headers", "_count_head"), ("body", "count")])
async def test_each_limit_is_tried(part: str, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Meter, check, lambda _, __: None)
    with pytest.raises(LimitsNotEnforced, match=f"limit on the {part}"):
        await verify_limits()


def test_exactly_the_installed_aiohttp_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"aiohttp=={version('aiohttp')}" in project["optional-dependencies"]["server"]
