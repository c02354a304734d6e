"""A run of ``make chaos`` in which an act fails ends, with the error and the seed."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaException

from infra.ports import any_free
from streams.settings import Settings
from tests.chaos import __main__ as chaos
from tests.chaos import strangers
from tests.chaos.strangers import Strangers
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages


@pytest.mark.parametrize(
    "act", [lambda each: each.abort_cancels([]), lambda each: each.send_compressed()]
)
async def test_strangers_wait_for_a_broker_that_is_away_no_longer_than_they_may(
    act: Callable[[Strangers], Awaitable[None]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(strangers, "ANSWERS_S", 0.1)
    settings = Settings(kafka=f"127.0.0.1:{any_free()}", data_dir=tmp_path)
    with pytest.raises((KafkaException, TimeoutError)):
        await act(Strangers(settings, Pages([]), Hooks()))


def test_the_seed_is_printed_with_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def failing(*_: object) -> None:
        raise RuntimeError("an act failed")

    monkeypatch.setattr(chaos, "run", failing)
    monkeypatch.setattr(logging.getLogger("aiokafka"), "level", logging.CRITICAL)
    monkeypatch.setattr("sys.argv", ["chaos", "--seed", "11"])
    with pytest.raises(RuntimeError, match="an act failed"):
        chaos.main()
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("seed 11 ended with an error; logs and data are in ")
    folder = Path(last.rpartition(" ")[2])
    assert folder.is_dir()
    folder.rmdir()
