"""A client that was answered relies on notifications, whatever its worker did after that."""

import asyncio
import sys
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from schemas.records.changes import DocumentChanged
from schemas.records.topics import CHANGES
from tests.harness.facts import reading
from tests.harness.forgetful import DIES, STATUS
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client
from tests.harness.waiting import until

FORGETFUL = (sys.executable, "-m", "tests.harness.forgetful")


@pytest.mark.slow  # tests/model has this crash
async def test_a_client_answered_before_a_crash_is_notified_of_what_changed_before_the_restart(
    broker: LocalBroker, tmp_path: Path, pages: Pages, hooks: Hooks
) -> None:
    with Deployment(broker.bootstrap, tmp_path, FORGETFUL) as deployment:
        deployment.start(*ON_THE_WAY, "api")
        page, known, answered = pages.add("<p>the giant sleeps"), hooks.add(), hooks.add()
        async with client(deployment.settings.port) as rest:
            await rest.ready()
            await rest.subscribe(page.url, known.url, "*", interval=1)
            await page.stored()
            (tmp_path / DIES).touch()
            await rest.subscribe(page.url, answered.url, "*", interval=1)
        assert await asyncio.to_thread(deployment["match"].ended) == STATUS
        async with reading(deployment.settings, CHANGES) as changes:
            page.text = "<p>the giant wakes"
            await until(lambda: changes.of(DocumentChanged), "the change is seen")
        deployment["match"].start()
        await known.notified()
        await answered.notified()
