"""A deployment is ready when its own API says so, not another one on the same port."""

import socket
from pathlib import Path

import pytest

from streams.cli.local.readiness import NotReady, check_port, own_problems
from streams.settings import Settings

SETTINGS = Settings(kafka="127.0.0.1:9092", port=9000)
HEALTH = {"kafka": "127.0.0.1:9092", "store": "/data/vokter.db on here", "problems": ["fetch: …"]}


def test_the_problems_of_the_own_api_are_waited_for() -> None:
    assert own_problems(HEALTH, SETTINGS, "/data/vokter.db on here") == ["fetch: …"]


@pytest.mark.parametrize("other", [{"kafka": "127.0.0.1:20001"}, {"store": "/other/vokter.db"}, {}])
def test_the_api_of_another_deployment_on_the_port_is_no_readiness(other: dict[str, str]) -> None:
    health = HEALTH | other if other else {"problems": []}
    with pytest.raises(NotReady, match=r"127.0.0.1:9000: the API of another deployment"):
        own_problems(health, SETTINGS, "/data/vokter.db on here")


def test_a_port_that_is_taken_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(NotReady, match=f"127.0.0.1:{port} .*Choose another port"):
            check_port(Settings(port=port, data_dir=tmp_path))
