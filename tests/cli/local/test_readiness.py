"""A deployment is ready when its own API says so, not another one on the same port."""

import socket
from pathlib import Path

import pytest

from connectors.reads.deployment_health import deployment_id
from streams.cli.local import readiness
from streams.cli.local.readiness import NotReady, await_ready, check_port, own_problems
from streams.settings import Settings

KEY = b"k" * 32
SETTINGS = Settings(kafka="127.0.0.1:9092", port=9000)
HEALTH = {"deployment": "0a1b", "problems": ["fetch: …"]}


def test_the_problems_of_the_own_api_are_waited_for() -> None:
    assert own_problems(HEALTH, SETTINGS, "0a1b") == ["fetch: …"]


@pytest.mark.parametrize("other", [{"deployment": "2c3d"}, {}])
def test_the_api_of_another_deployment_on_the_port_is_no_readiness(other: dict[str, str]) -> None:
    with pytest.raises(NotReady, match=r"127.0.0.1:9000: the API of another deployment"):
        own_problems(other | {"problems": []}, SETTINGS, "0a1b")


@pytest.mark.parametrize("other", [("127.0.0.1:20001", "a.db"), ("127.0.0.1:9092", "b.db")])
def test_deployments_with_other_brokers_or_another_store_have_other_ids(
    other: tuple[str, str],
) -> None:
    own = deployment_id(KEY, "127.0.0.1:9092", "a.db")
    assert own == deployment_id(KEY, "127.0.0.1:9092", "a.db")
    assert deployment_id(KEY, *other) != own


def test_a_port_that_is_taken_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(NotReady, match=f"127.0.0.1:{port} .*Choose another port"):
            check_port(Settings(port=port, data_dir=tmp_path))


async def test_a_slow_start_names_the_missing_agents_again_only_when_they_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter([["fetch: dead"], ["fetch: dead"], ["match: dead"], ["match: behind"], []])
    health = [{"deployment": "0a1b", "problems": problems} for problems in answers]
    monkeypatch.setattr(readiness, "FIRST_REPORT_S", 0.0)
    monkeypatch.setattr(readiness, "LOOK_EVERY_S", 0.0)
    monkeypatch.setattr(readiness, "_health", lambda *_: health.pop(0))
    said: list[str] = []
    await await_ready(SETTINGS, "0a1b", said.append)
    *missing, ready = said
    assert missing == ["Starting; not ready yet: fetch", "Starting; not ready yet: match"]
    assert ready.startswith("Ready: ")
