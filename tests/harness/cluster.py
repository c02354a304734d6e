"""Brokers on one machine, each of which can be killed, frozen, cut off and filled up."""

import asyncio
import base64
import json
import os
import resource
import signal
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import asdict
from pathlib import Path

from infra import broker_config, identity
from infra.ports import any_free
from tests.harness.cut_off import ProxiedBroker, Proxy, Which, of_anybody, of_node

REPLICAS = (
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
    "share.coordinator.state.topic.replication.factor",
    "default.replication.factor",
)
IN_SYNC = (
    "transaction.state.log.min.isr",
    "share.coordinator.state.topic.min.isr",
    "min.insync.replicas",
)
LISTENER = f"PLAINTEXT://{broker_config.HOST}"


class Member(ProxiedBroker):
    """One broker of a cluster, which clients and other brokers reach through proxies."""

    jvm_options = (*broker_config.JVM_OPTIONS, "-Xmx256m")

    def __init__(self, folder: Path, node: int, cluster: str, controllers: dict[int, int]) -> None:
        """``controllers`` has the ports by which the controllers reach each other."""
        super().__init__(folder)
        self._kept = identity.Identity(any_free(), any_free(), cluster)
        self._node = node
        self._plain = any_free()
        self._controllers = controllers
        folder.mkdir(parents=True)
        (folder / identity.FILE).write_text(json.dumps(asdict(self._kept)), "utf-8")
        self.clients = Proxy(self._plain, lambda: self._identity.port)
        self.second = Proxy.of(self)
        self.votes = Proxy(controllers[node], lambda: self._identity.controller_port)

    @property
    def bootstrap(self) -> str:
        """The address that is advertised."""
        return self.clients.bootstrap

    @property
    def proxies(self) -> tuple[Proxy, ...]:
        """All ways to it."""
        return self.clients, self.second, self.votes

    @property
    def _identity(self) -> identity.Identity:
        assert self._kept is not None
        return self._kept

    def change(self, lines: dict[str, str]) -> None:
        """Make it one of several nodes."""
        lines["advertised.listeners"] = f"{LISTENER}:{self._plain}"
        super().change(lines)
        voters = self._controllers.items()
        lines["controller.quorum.voters"] = ",".join(
            f"{node}@{broker_config.HOST}:{port}" for node, port in voters
        )
        lines["node.id"] = str(self._node)
        count = len(self._controllers)
        lines |= dict.fromkeys(REPLICAS, str(count))
        lines |= dict.fromkeys(IN_SYNC, str(max(1, count - 1)))
        # Here other nodes are there to hear that nothing has happened.
        lines["metadata.max.idle.interval.ms"] = "500"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to its processes."""
        assert self._guard is not None
        os.killpg(self._guard.pid, number)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Let no file of it grow, as when its disk is full."""
        assert self._guard is not None
        guard = self._guard.pid
        children = Path(f"/proc/{guard}/task/{guard}/children").read_text("ascii").split()
        with full_disk(int(children[0])):
            yield


@contextmanager
def full_disk(process: int) -> Iterator[None]:
    """Let a process write no byte to a file (Linux): it is as if the disk was full.

    A small file system would need the rights to mount it. Errors are EFBIG instead of ENOSPC.
    """
    soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        if Path(f"/proc/{process}").exists():
            resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))


class Cluster:
    """One broker, or three: its topics then have three replicas, of which two are in sync."""

    def __init__(self, folder: Path, count: int) -> None:
        """Start nothing yet."""
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        controllers = {node: any_free() for node in range(1, count + 1)}
        self.members = {
            node: Member(folder / f"broker-{node}", node, cluster, controllers)
            for node in controllers
        }

    @property
    def bootstrap(self) -> str:
        """All addresses that are advertised."""
        return ",".join(member.bootstrap for member in self.members.values())

    @property
    def second(self) -> str:
        """Other addresses of the same brokers, by which clients can be cut off."""
        return ",".join(member.second.bootstrap for member in self.members.values())

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Start all brokers; stop them when left."""
        members = self.members.values()
        async with AsyncExitStack() as stack:
            for proxy in (proxy for member in members for proxy in member.proxies):
                await stack.enter_async_context(proxy.running())
            try:
                await asyncio.gather(*(asyncio.to_thread(member.start) for member in members))
                yield
            finally:
                # Each would wait for the others, to hand over what it leads.
                await asyncio.gather(*(asyncio.to_thread(member.kill) for member in members))

    @contextmanager
    def isolated(self, node: int) -> Iterator[None]:
        """Cut a broker off from all clients and from the other brokers."""
        inwards = self.members[node].proxies
        outwards = [
            (proxy, of_node(node))
            for other, member in self.members.items()
            if other != node
            for proxy in member.proxies
        ]
        held = [*((proxy, of_anybody) for proxy in inwards), *outwards]
        for proxy, which in held:
            proxy.hold(which)
        try:
            yield
        finally:
            for proxy, which in held:
                proxy.heal(which)

    @contextmanager
    def held_from_second(self, which: Which) -> Iterator[None]:
        """Hold such requests of the clients that use the ``second`` addresses."""
        for member in self.members.values():
            member.second.hold(which)
        try:
            yield
        finally:
            for member in self.members.values():
                member.second.heal(which)
