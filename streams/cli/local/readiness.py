"""Wait until a deployment is ready: its own API answers, and its health shows no problem."""

import asyncio
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from time import monotonic
from typing import Any

from connectors.serving import BASE
from streams.cli.output import Say
from streams.settings import Settings

READY_TIMEOUT_S = 300.0
"""Of a slow or busy machine; the missing agents are named meanwhile."""
FIRST_REPORT_S = 2.0
"""Seconds after which a slow start names the missing agents; then each time that these change."""
LOOK_EVERY_S = 0.3
ANSWER_TIMEOUT_S = 5.0


class NotReady(Exception):
    """The deployment cannot start, or was not healthy in time; the text says why."""


def check_port(settings: Settings) -> None:
    """Check the API's port; raises NotReady if taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise NotReady(
                f"the API cannot listen on {settings.host}:{settings.port} ({error.strerror}). "
                "Choose another port with --port or VOKTER_PORT."
            ) from None


async def await_ready(settings: Settings, deployment: str, say: Say) -> None:
    """Wait until the API's health shows no problem; raises NotReady.

    ``deployment`` is the deployment's id, by which its API is recognised.
    """
    problems = ["the API: it does not answer"]
    begun, said = monotonic(), ""
    with suppress(TimeoutError):
        async with asyncio.timeout(READY_TIMEOUT_S):
            while problems:
                await asyncio.sleep(LOOK_EVERY_S)
                with suppress(OSError, HTTPException, ValueError):
                    health = await asyncio.to_thread(_health, settings.host, settings.port)
                    problems = own_problems(health, settings, deployment)
                missing = ", ".join(map(subject, problems))
                if missing not in ("", said) and monotonic() - begun > FIRST_REPORT_S:
                    say(f"Starting; not ready yet: {missing}")
                    said = missing
    if problems:
        logs = settings.data_dir / "logs"
        raise NotReady(
            f"not ready after {READY_TIMEOUT_S:g} s: {'; '.join(problems)}. See the logs in {logs}."
        )
    address = f"http://{settings.host}:{settings.port}"
    say(f"Ready: {address}/ (REST: {address}{BASE})")


def own_problems(health: Mapping[str, Any], settings: Settings, deployment: str) -> list[str]:
    """Return the problems in an answer of ``/health``; raises NotReady for another API's answer.

    The API of another starting deployment may have been quicker to listen.
    """
    if health.get("deployment") != deployment:
        raise NotReady(
            f"the API cannot listen on {settings.host}:{settings.port}: the API of another "
            "deployment listens there. Choose another port with --port or VOKTER_PORT."
        )
    problems: list[str] = health["problems"]
    return problems


def subject(problem: str) -> str:
    """Return the subject of a problem: at a start its state is no news.

    Example:
        >>> subject("fetch: dead, no worker has 8 of 8 partitions")
        'fetch'
    """
    return problem.partition(":")[0]


def _health(host: str, port: int) -> dict[str, Any]:
    connection = HTTPConnection(host, port, timeout=ANSWER_TIMEOUT_S)
    try:
        connection.request("GET", f"{BASE}/health")
        health: dict[str, Any] = json.loads(connection.getresponse().read())
        return health
    finally:
        connection.close()
