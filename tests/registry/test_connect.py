"""Kafka Connect with the properties of the how-to, and the file sink of Kafka."""

import re
from pathlib import Path

import pytest

from tests.docs.reading import blocks, text
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until
from tests.servers.apicurio import API, Apicurio
from tests.servers.connect.server import LOG, Connect

pytestmark = pytest.mark.registry

WORKER, APICURIO, FILE = blocks(text("docs/how-to/export-to-a-lake.md"), "properties")[:3]
BROKER, REGISTRY = "127.0.0.1:9092", "http://127.0.0.1:8080"


async def test_connect_writes_notifications_to_a_file_by_their_registered_schema(
    rest: Rest,
    deployment: Deployment,
    apicurio: Apicurio,
    pages: Pages,
    hooks: Hooks,
    tmp_path: Path,
) -> None:
    settings = deployment.settings
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus sleeps"
    await hook.notified()

    shared = [line for line in WORKER.splitlines() if not line.startswith(("value.", "plugin."))]
    worker = "\n".join([*shared, "offset.flush.interval.ms=1000", APICURIO])
    worker = worker.replace(BROKER, settings.kafka or "")
    worker = worker.replace(REGISTRY, apicurio.url.removesuffix(API))
    sink = FILE.replace("topics=vokter.", f"topics={settings.topic_prefix}")
    written = tmp_path / "notifications.txt"
    with Connect(tmp_path, worker, sink):

        def lines() -> list[str]:
            assert "Task is being killed" not in (tmp_path / LOG).read_text("utf-8")
            found = written.read_text("utf-8").splitlines() if written.exists() else []
            return [line for line in found if f"url={page.url}," in line]

        (line,) = await until(lines, "the notification is in the file")
    assert f"client_url={hook.url}" in line
    assert "snippet=the giant argus sleeps" in line
    assert re.search(r",at=\w{3} \w{3} \d\d ", line), "the transform made it a time"
    (identity,) = re.findall(r"Struct\{id=(\w+)", line)
    assert identity == hook.posts[0].id
