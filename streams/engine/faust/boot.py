"""The services of Faust that a worker starts: only those that have something to do here."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from faust.app.base import BootStrategy
from faust.types import ServiceT

if TYPE_CHECKING:
    from faust.agents.manager import AgentManager


class PatchedBoot(BootStrategy):
    """Starts the consumer, what subscribes to the topics, and the tables, in this order.

    Faust also starts a producer with a connection and a buffer, although a worker sends with
    its own; a monitor that samples each second; and managers of agents, replies and leaders,
    of which there are none.
    """

    def server(self) -> Iterable[ServiceT]:
        """Return the services, in the order in which they start."""
        # Otherwise the conductor waits for agents before it subscribes.
        cast("AgentManager", self.app.agents)._agents_started.set()
        return [self.app.consumer, self.app.topics, self.app.tables]
