"""What an installation gets: the packages, with what they need at run time, and no more."""

from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel() -> set[str]:
    files = WheelBuilder(str(ROOT)).recurse_included_files()
    return {file.distribution_path for file in files}


def test_the_wheel_has_the_packages_and_the_lock_of_the_local_broker(wheel: set[str]) -> None:
    packages = {path.partition("/")[0] for path in wheel}

    assert packages == {"connectors", "infra", "schemas", "streams", "vokter"}
    assert "infra/kafka.lock" in wheel
    assert "infra/broker.py" in wheel


def test_the_wheel_has_no_server_that_only_tests_start(wheel: set[str]) -> None:
    assert [path for path in wheel if "ferretdb" in path or "apicurio" in path] == []
    assert [path for path in wheel if path.endswith((".go", "go.mod", "go.sum"))] == []
