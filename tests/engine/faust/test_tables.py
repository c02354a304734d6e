"""The topics are subscribed to as soon as the tables are declared."""

from types import SimpleNamespace
from typing import Any

from streams.engine.faust.recovery import PatchedTables


class Starting(PatchedTables):
    """Tables that are all declared; notes what their start does."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def _update_channels(self) -> None:
        self.done.append("registered")

    async def _recovery_start(self) -> None:
        self.done.append("recovery started")

    @property
    def recovery(self) -> Any:
        return SimpleNamespace(start=self._recovery_start)

    async def sleep(self, n: Any, **_: Any) -> None:
        self.done.append("waited")


async def test_a_start_waits_for_no_tables_that_are_declared_late() -> None:
    tables = Starting()
    await tables.on_start()
    assert tables.done == ["registered", "recovery started"]
