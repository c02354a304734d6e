"""A real registry, a broker, and a deployment that uses both."""

from collections.abc import AsyncIterator, Iterator

import pytest

from infra.broker import LocalBroker
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import Rest, client
from tests.servers.apicurio import Apicurio


@pytest.fixture(scope="session")
def apicurio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apicurio]:
    with Apicurio(tmp_path_factory.mktemp("apicurio")) as apicurio:
        yield apicurio


@pytest.fixture(scope="session")
def deployment(
    apicurio: Apicurio, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    with LocalBroker(tmp_path_factory.mktemp("broker"), 0) as broker:
        folder = tmp_path_factory.mktemp("deployment")
        with Deployment(
            broker.bootstrap, folder, is_kept=True, schema_registry_url=apicurio.url
        ) as deployment:
            deployment.start(*ON_THE_WAY, "api")
            yield deployment


@pytest.fixture
async def rest(deployment: Deployment) -> AsyncIterator[Rest]:
    async with client(deployment.settings.port) as rest:
        await rest.ready()
        yield rest
        await rest.tidy()
