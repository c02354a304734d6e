"""``vokter`` with one fault inserted: events are acknowledged before their outputs.

It shows that the chaos run reports such a fault.
"""

from dataclasses import replace
from typing import Any

from streams.cli import main
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.runner import TakenEvent
from streams.engine.runners.batched import BatchedRunner
from streams.engine.runners.ordered import OrderedRunner
from streams.engine.runners.pool import PoolRunner


class _Ignored(Ledger):
    """Ignores that an event is done: that was noted long before."""

    def done(self, offset: int) -> None:
        pass


def _acknowledge_early(runner: Any) -> None:
    submit = runner.submit

    def early(self: Any, taken: TakenEvent) -> None:
        taken.ledger.done(taken.event.offset)
        submit(self, replace(taken, ledger=_Ignored()))

    runner.submit = early


for each in (BatchedRunner, OrderedRunner, PoolRunner):
    _acknowledge_early(each)
if __name__ == "__main__":
    main()
