"""A worker that its group has put out starts again with another member id."""

from types import SimpleNamespace
from typing import Any

import pytest

from streams.engine.faust import app as apps
from streams.engine.faust.app import PUT_OUT, PatchedApp
from tests.fakes.parts import fake_parts


class Ended(Exception):
    """The process ends here."""


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The end of a worker that its group has put out while it had partitions."""
    done = list[str]()

    def end(reason: str) -> None:
        done.append(reason)
        raise Ended

    monkeypatch.setattr(apps, "end_process", end)
    return done


def revoked(done: list[str], *, is_put_out: bool) -> Any:
    parts = fake_parts(
        acks=SimpleNamespace(capacity=SimpleNamespace(is_open=True)),
        drop_id=lambda: done.append("dropped its id"),
    )
    app: Any = PatchedApp("match", parts, broker="kafka://127.0.0.1:1", store="memory://")
    app.consumer = SimpleNamespace(is_put_out=lambda: is_put_out)
    return app


async def test_its_id_is_dropped_before_the_process_ends(done: list[str]) -> None:
    with pytest.raises(Ended):
        await revoked(done, is_put_out=True)._on_partitions_revoked(set())
    assert done == ["dropped its id", PUT_OUT]


async def test_a_worker_in_a_rebalance_keeps_its_id(
    done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def let_go() -> None:
        raise Ended

    app = revoked(done, is_put_out=False)
    monkeypatch.setattr(app, "_let_go", let_go)
    with pytest.raises(Ended):
        await app._on_partitions_revoked(set())
    assert done == []
