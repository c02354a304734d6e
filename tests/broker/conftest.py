"""One broker for all tests of this folder, and one deployment for those that break nothing."""

from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.docs.reading import text
from tests.harness.manual import Manual, Opened
from tests.harness.processes import DEPLOYMENTS, ON_THE_WAY, Deployment, environment
from tests.harness.rest import Rest, client

LINES = 60


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    with LocalBroker(tmp_path_factory.mktemp("broker"), 0) as broker:
        yield broker


@pytest.fixture(scope="session")
def stopped_shared(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("shared")
    with Deployment(broker.bootstrap, folder, is_kept=True, keep_bodies=200_000) as deployment:
        yield deployment


@pytest.fixture
def shared(stopped_shared: Deployment) -> Deployment:
    """A worker of each agent, which run while tests in a row need them."""
    if not stopped_shared.is_started:
        stopped_shared.start(*ON_THE_WAY, "api")
    return stopped_shared


@pytest.fixture(scope="session")
def stopped_pair(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("pair")
    with Deployment(
        broker.bootstrap,
        folder,
        is_kept=True,
        max_failures=3,
        retry_schedule=(0, 1, 1, 1, 5, 5, 5, 30),
    ) as deployment:
        yield deployment


@pytest.fixture
def pair(stopped_pair: Deployment) -> Deployment:
    """Two workers of each agent, few failures to a timeout, and quick retries.

    They run while tests in a row need them: eleven processes need a tenth of a core at rest.
    """
    if not stopped_pair.is_started:
        stopped_pair.start(*ON_THE_WAY, *(f"{agent}-2" for agent in ON_THE_WAY), "api")
    return stopped_pair


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Function, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """End a deployment after the last of the tests in a row that need it."""
    needed = getattr(nextitem, "fixturenames", ())
    done = [item.funcargs.get(name) for name in DEPLOYMENTS if name not in needed]
    yield
    for deployment in done:
        if isinstance(deployment, Deployment):
            deployment.end()


@pytest.fixture(scope="session")
def ready_pids() -> dict[str, list[int]]:
    """The processes of each deployment when it was ready: the same ones are not asked again.

    The question is a request through Kafka, a tenth of a second of a core for each test.
    """
    return {}


@asynccontextmanager
async def _ready(deployment: Deployment, ready_pids: dict[str, list[int]]) -> AsyncIterator[Rest]:
    name = deployment.settings.topic_prefix
    async with client(deployment.settings.port) as rest:
        if ready_pids.get(name) != deployment.pids:
            await rest.ready()
            ready_pids[name] = deployment.pids
        yield rest
        await rest.tidy()


@pytest.fixture
async def rest(shared: Deployment, ready_pids: dict[str, list[int]]) -> AsyncIterator[Rest]:
    async with _ready(shared, ready_pids) as rest:
        yield rest


@pytest.fixture
async def pair_rest(pair: Deployment, ready_pids: dict[str, list[int]]) -> AsyncIterator[Rest]:
    async with _ready(pair, ready_pids) as rest:
        yield rest


@pytest.fixture
def opened(shared: Deployment, rest: Rest, tmp_path: Path) -> Opened:
    """Open a page of the manual, with the addresses of the shared deployment for the usual ones."""
    here = shared.settings
    env = environment(here) | {"VOKTER_API_KEYS": str(tmp_path / "api-keys.json")}
    usual = {
        "127.0.0.1:9000": f"127.0.0.1:{here.port}",
        "127.0.0.1:9092": str(here.kafka),
        "-t vokter.": f"-t {here.topic_prefix}",
    }
    return lambda page, places: Manual(text(page), tmp_path, env, places | usual)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the processes' logs where a test failed."""
    report = yield
    if report.failed:
        for value in item.funcargs.values():
            if isinstance(value, Deployment):
                report.sections += [(log.name, _tail(log)) for log in value.logs()]
    return report


def _tail(log: Path) -> str:
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-LINES:])
