"""The last file of these: it ends the registry."""

from pathlib import Path

import pytest

from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.servers.apicurio import Apicurio

pytestmark = pytest.mark.registry


async def test_a_deployment_that_has_started_goes_on_and_the_doctor_says_what_is_away(
    rest: Rest,
    deployment: Deployment,
    apicurio: Apicurio,
    pages: Pages,
    hooks: Hooks,
    tmp_path: Path,
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    apicurio.stop()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus sleeps"
    assert len(await hook.notified()) == 1

    result = await vokter(environment(deployment.settings), tmp_path, "doctor")
    assert result.status == 1
    assert "✗ schema registry: the schema registry does not answer" in result.out
    assert "SCHEMA_REGISTRY_URL" in result.out
    assert "✓ broker" in result.out
