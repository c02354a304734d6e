"""What tests of several folders need: both stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.ferretdb.build import find_go, is_required, program
from infra.ferretdb.server import FerretDB
from tests.harness.stores import KINDS, NOT_TESTED, Place, database, fresh, server

HERE = Path(__file__).parent
DEPLOYED = {"broker", "chaos", "infra", "registry"}


@pytest.fixture(scope="session")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str | None]:
    with server(tmp_path_factory.mktemp("mongo")) as url:
        yield url


@pytest.fixture
def mongo(mongo_server: str | None) -> Iterator[str]:
    """The URL of an empty database."""
    if mongo_server is None:
        (pytest.fail if is_required() else pytest.skip)(NOT_TESTED)
    url = fresh(mongo_server)
    yield url
    with database(url) as used:
        used.client.drop_database(used.name)


@pytest.fixture
def ferret(tmp_path: Path) -> FerretDB:
    """A server of its own, to be started and stopped."""
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process for what starts processes of its own, one for all else."""
    return 2


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep what starts brokers and workers in one process: they share them, and the cores."""
    for item in items:
        if item.path.relative_to(HERE).parts[0] in DEPLOYED:
            item.add_marker(pytest.mark.xdist_group("deployed"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Nobody shall take a run without a server for one with it."""
    skipped = terminalreporter.stats.get("skipped", ())
    if any(NOT_TESTED in str(report.longrepr) for report in skipped):
        terminalreporter.section("ATTENTION", red=True, bold=True)
        terminalreporter.line(NOT_TESTED, red=True)
