"""What tests of several folders need: both stores, pages, receivers, and how they are run."""

import gc
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from pymongo.database import Database
from xdist.remote import Producer
from xdist.scheduler.loadscope import LoadScopeScheduling

from tests.harness.browser import NO_BROWSER
from tests.harness.examples import ALL, NEW, at_most
from tests.harness.hooks import Hooks, receivers
from tests.harness.pages import Pages, site
from tests.harness.processes import DEPLOYMENTS
from tests.harness.stores import KINDS, NOT_TESTED, Place, database, fresh, server
from tests.servers.ferretdb.build import find_go, is_required, program
from tests.servers.ferretdb.server import FerretDB

DEPLOYED = "tests/broker/"
HALF = "tests/broker/test_m"
"""Half of these tests' time is before it, half from it on."""
ALONE = ("tests/chaos/", "tests/infra/", "tests/registry/")
LONGEST = (
    DEPLOYED,
    "tests/connectors/page/",
    "tests/connectors/browser/",
    "tests/agents/",
    *ALONE,
    "tests/connectors/",
    "tests/model/",
    "tests/schemas/",
)
"""Tests that begin first, in this order."""
PATIENT = "serverSelectionTimeoutMS=60000&connectTimeoutMS=60000&socketTimeoutMS=60000"
"""Of a MongoDB server: where the machine does other things too, who is slow is not away."""


def pytest_configure() -> None:
    """End what the tests start at Ctrl-C, as a person's programs do.

    A shell starts what runs in its background with SIGINT ignored, and that is inherited.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What has passed for one commit passes for it again; `make test-all` looks for new examples.
settings.register_profile(
    "vokter",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not NEW,
    max_examples=at_most(ALL),
)
settings.load_profile("vokter")


@pytest.fixture(scope="session")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    with server(tmp_path_factory.mktemp("mongo")) as url:
        yield url


@pytest.fixture(scope="session")
def mongo_url(mongo_server: str | None) -> str:
    """The URL of a database for all tests in turn: to make a new one takes a tenth of a second."""
    if mongo_server is None:
        (pytest.fail if is_required() else pytest.skip)(NOT_TESTED)
    url = fresh(mongo_server)
    return f"{url}{'&' if '?' in url else '?'}{PATIENT}"


@pytest.fixture(scope="session")
def mongo_rows(mongo_url: str) -> Iterator[Database[dict[str, Any]]]:
    with database(mongo_url) as rows:
        yield rows
        rows.client.drop_database(rows.name)


@pytest.fixture
def mongo(mongo_url: str, mongo_rows: Database[dict[str, Any]]) -> Iterator[str]:
    """The URL of a database without a row; its collections and indexes may be there."""
    yield mongo_url
    for name in mongo_rows.list_collection_names():
        mongo_rows[name].delete_many({})


@pytest.fixture
def ferret(tmp_path: Path) -> FerretDB:
    """A separate server, to be started and stopped."""
    go = find_go()
    if go is None:
        (pytest.fail if is_required() else pytest.skip)(NOT_TESTED)
    return FerretDB(program(go), tmp_path / "ferret")


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a store can be opened; each test runs with both kinds."""
    if request.param == "sqlite":
        return Place("sqlite", f"sqlite:{tmp_path / 'new' / 'store.db'}")
    return Place("mongodb", request.getfixturevalue("mongo"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what stays until the end, while it comes and later.

    Of several processes one compiles what is not yet compiled, and the others wait for it.
    """
    gc.disable()
    try:
        with Path(__file__).open("rb") as lock:
            try:
                flock(lock, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                flock(lock, LOCK_SH)
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two processes for what starts its own processes and waits for them, two for all else.

    What waits for nothing has as many as there are cores, with `-n logical`.
    """
    return None if config.option.numprocesses == "logical" else 4


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, so that all processes end together."""
    items.sort(key=lambda item: (_rank(item.nodeid), _turn(item)))


def _turn(item: pytest.Item) -> int:
    """Return when a test has its turn: those with one deployment in a row, which ends then."""
    if not item.nodeid.startswith(DEPLOYED):
        return 0
    names = getattr(item, "fixturenames", ())
    return next((n for n, each in enumerate(DEPLOYMENTS) if each in names), len(DEPLOYMENTS))


def _rank(nodeid: str) -> int:
    return next(
        (rank for rank, file in enumerate(LONGEST) if nodeid.startswith(file)), len(LONGEST)
    )


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    async with site() as pages:
        yield pages


@pytest.fixture
async def hooks() -> AsyncIterator[Hooks]:
    async with receivers() as hooks:
        yield hooks


class Rooms(LoadScopeScheduling):  # type: ignore[misc]  # xdist is not typed
    """A file of tests at a time; what starts brokers and workers is three files to it.

    Two of those share them, and all the cores: more of these tests at once are too much.
    Files keep their order.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        if file.startswith(ALONE):
            return "alone"
        if not file.startswith(DEPLOYED):
            return file
        return "deployed, first half" if file < HALF else "deployed, second half"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Divide tests among processes as above."""
    config.option.loadscopereorder = False  # by the number of tests, which says nothing of time
    return Rooms(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Nobody shall take a run without a server or a browser for one with it."""
    skipped = terminalreporter.stats.get("skipped", ())
    for missing in (NOT_TESTED, NO_BROWSER):
        if any(missing in str(report.longrepr) for report in skipped):
            terminalreporter.section("ATTENTION", red=True, bold=True)
            terminalreporter.line(missing, red=True)
