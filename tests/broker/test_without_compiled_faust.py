"""Faust's compiled part is for its streams, and no worker creates one.

One that did would end, with a status that the deployment allows no worker.
"""

import sys
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client

UNCOMPILED = (sys.executable, "-m", "tests.harness.uncompiled")


@pytest.mark.slow
async def test_a_change_is_notified_without_compiled_faust_and_without_a_stream_of_it(
    broker: LocalBroker, tmp_path: Path, pages: Pages, hooks: Hooks
) -> None:
    with Deployment(broker.bootstrap, tmp_path, UNCOMPILED, is_kept=True) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        page, hook = pages.add("<p>the giant sleeps"), hooks.add()
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            await rest.subscribe(page.url, hook.url, "*", interval=1)
            await page.stored()
            page.text = "<p>the giant wakes"
            await hook.notified()
