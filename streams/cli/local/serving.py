"""``vokter api``."""

import asyncio
from functools import partial

from structlog.contextvars import bind_contextvars

from connectors.api.access.keys import ApiKeys
from connectors.api.access.middleware import is_loopback
from connectors.page.stages import ShownFinding
from streams.cli.checks.deployment import all_findings
from streams.cli.discovery import with_broker
from streams.cli.options import log_as_service, run_until_stopped
from streams.cli.output import say
from streams.cli.setup.preparation import claim_signing_key, prepare_deployment
from streams.settings import Settings
from streams.wiring.api import serve_api

LOOPBACK = "127.0.0.1"


def serve(settings: Settings) -> None:
    """Serve the REST API until SIGTERM or SIGINT."""
    log_as_service(settings)
    bind_contextvars(stage="api")
    settings = with_broker(settings)
    asyncio.run(prepare_deployment(settings))
    signing_key = asyncio.run(claim_signing_key(settings))
    keys = ApiKeys(settings.keys_file, is_required=settings.oidc_issuer is not None)
    host = _api_host(settings, keys)
    run_until_stopped(serve_api(settings, keys, host, signing_key, partial(_findings, settings)))


async def _findings(settings: Settings) -> list[ShownFinding]:
    """Return what ``vokter doctor`` says, as the page shows it."""
    return [
        ShownFinding(each.level.value, each.about, each.text, each.remedy)
        async for each in all_findings(settings)
    ]


def _api_host(settings: Settings, keys: ApiKeys) -> str:
    """Return the address to listen on: loopback as long as there are no API keys."""
    if keys.required or is_loopback(settings.host):
        return settings.host
    say(f"There are no API keys, so the API listens on {LOOPBACK} instead of {settings.host}.")
    say("  To open it to other machines, create a key: vokter keys add MANAGER")
    return LOOPBACK
