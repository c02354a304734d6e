import asyncio
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Thread

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import InvalidTransactionTimeout

from infra import lease
from infra.broker import LocalBroker
from infra.errors import InfraError
from infra.identity import Identity
from infra.ports import any_free, cluster_at, is_free
from tests.harness.waiting import TIMEOUT_S

ROOT = Path(__file__).parents[2]


@contextmanager
def in_the_foreground(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "infra.broker", "--data-dir", str(folder), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as owner:
        assert owner.stdout
        assert owner.stdout.readline() == f"127.0.0.1:{port}\n".encode()
        yield owner


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBroker]:
    """A broker for all tests, a start of which costs 4 seconds of a core.

    When it first started, another program had its port.
    """
    folder = tmp_path_factory.mktemp("running")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        kept = Identity(taken.getsockname()[1], any_free(), "VokterTestsKeptBrokeAA")
        (folder / "broker.json").write_text(json.dumps(asdict(kept)))
        broker = LocalBroker(folder)
        broker.start()
    assert port_of(broker) != kept.port
    yield broker
    broker.stop()


def port_of(broker: LocalBroker) -> int:
    return int(broker.bootstrap.split(":")[1])


def cluster_of(broker: LocalBroker) -> str:
    kept: str = json.loads((broker.data_dir / "broker.json").read_text())["cluster_id"]
    return kept


async def create_topic(bootstrap: str, topic: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(topic, 1, 1)])
    finally:
        await admin.close()


async def send(bootstrap: str, *values: bytes, topic: str) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, max_request_size=16 << 20)
    await producer.start()
    try:
        for value in values:
            await producer.send_and_wait(topic, value)
    finally:
        await producer.stop()


async def read(bootstrap: str, count: int, topic: str) -> list[bytes]:
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id="readers"
    )
    await consumer.start()
    try:
        return [(await asyncio.wait_for(consumer.getone(), TIMEOUT_S)).value for _ in range(count)]
    finally:
        await consumer.stop()


def test_a_record_of_almost_16_mb_passes(running: LocalBroker) -> None:
    large = os.urandom((16 << 20) - 1024)
    asyncio.run(create_topic(running.bootstrap, "large"))
    asyncio.run(send(running.bootstrap, large, topic="large"))
    assert asyncio.run(read(running.bootstrap, 1, topic="large")) == [large]


def test_nothing_listens_beyond_loopback(running: LocalBroker) -> None:
    config = (running.data_dir / "server.properties").read_text()
    listeners = next(line for line in config.splitlines() if line.startswith("listeners="))
    assert listeners.count("://127.0.0.1:") == 2 == listeners.count("://")


def test_a_second_broker_on_the_same_folder_is_refused(running: LocalBroker) -> None:
    with pytest.raises(InfraError, match=f"is already running in .* process {os.getpid()}"):
        LocalBroker(running.data_dir, 0).start()
    assert cluster_of(running) == cluster_at(port_of(running))


def test_what_is_left_of_a_broker_after_its_guard_is_no_other_broker(tmp_path: Path) -> None:
    held = lease.take(tmp_path)
    line = ["sh", "-c", "sleep 600 &"]
    guard = subprocess.Popen(line, pass_fds=(held,), start_new_session=True)
    lease.write(held, os.getpid(), guard.pid)
    os.close(held)
    guard.wait()
    os.close(lease.take(tmp_path))


def test_a_wanted_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InfraError, match=f"Port {port} .* is in use"):
            LocalBroker(tmp_path, port).start()


@pytest.mark.slow  # a port that is taken is replaced below, too
def test_two_brokers_that_found_one_port_free_are_two_clusters(
    running: LocalBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = port_of(running)
    mine = Identity(taken, any_free(), "-eNaIyVnStGesD4YIJKmyw")  # an id may begin with a dash
    other = LocalBroker(tmp_path / "other")
    other.data_dir.mkdir()
    (other.data_dir / "broker.json").write_text(json.dumps(asdict(mine)))
    looks = iter([True])  # as it was when both looked at the same moment
    monkeypatch.setattr(
        "infra.identity.is_free",
        lambda port: next(looks, False) if port == taken else is_free(port),
    )
    with other:
        assert other.bootstrap != running.bootstrap
        assert cluster_at(port_of(other)) == mine.cluster_id
    assert cluster_at(taken) == cluster_of(running)


def clusters_of(answers: Sequence[bytes]) -> list[str | None]:
    """Ask a server for its cluster once for each of its answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT_S)

        def answer() -> None:
            for text in answers:
                with server.accept()[0] as client:
                    client.recv(1024)
                    client.sendall(text)

        thread = Thread(target=answer)
        thread.start()
        found = [cluster_at(server.getsockname()[1]) for _ in answers]
        thread.join()
    return found


def test_something_other_than_kafka_is_no_cluster() -> None:
    texts = (b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\4\0\0\0\1")
    assert clusters_of(texts) == [None, None, None]


def test_a_broker_that_does_not_list_itself_yet_is_no_cluster() -> None:
    host, name = b"\0\1h", b"\0\1c"
    itself = b"\0\0\0\1" + host + b"\0\0\x23\x84" + b"\xff\xff"
    answers = (b"\0\0\0\0" + name, b"\0\0\0\1" + itself + name)
    framed = [struct.pack(">ii", len(each) + 4, 1) + each for each in answers]
    assert clusters_of(framed) == [None, "c"]


def test_a_broker_that_dies_at_start_shows_its_last_words(
    running: LocalBroker, tmp_path: Path
) -> None:
    meta = "kafka/meta.properties"
    (tmp_path / meta).parent.mkdir()
    text = (running.data_dir / meta).read_text()
    (tmp_path / meta).write_text(text.replace("node.id=1", "node.id=2"))
    broker = LocalBroker(tmp_path, 0)
    with pytest.raises(InfraError, match=r"did not start(.|\n)*Stored node id 2"):
        broker.start()
    assert not broker.is_running


@pytest.mark.slow  # what is left of one is above, and test_demo.py stops it
def test_whatever_ends_a_broker_in_the_foreground_leaves_its_folder_to_the_next(
    tmp_path: Path,
) -> None:
    port = any_free()
    with in_the_foreground(tmp_path, port) as owner:
        owner.kill()
    with in_the_foreground(tmp_path, port) as owner:
        _, guard = (tmp_path / "broker.lock").read_text().split()
        os.kill(owner.pid, signal.SIGSTOP)  # so that it cannot end the broker in between
        os.kill(int(guard), signal.SIGKILL)
        owner.kill()
    assert cluster_at(port), "an orphan, which the next start ends"
    with in_the_foreground(tmp_path, port) as owner:
        owner.send_signal(signal.SIGTERM)
        assert owner.wait(TIMEOUT_S) == 0
    assert is_free(port)


@pytest.mark.slow  # as above with SIGTERM
def test_in_the_foreground_it_stops_at_ctrl_c(tmp_path: Path) -> None:
    port = any_free()
    with in_the_foreground(tmp_path, port) as owner:
        owner.send_signal(signal.SIGINT)
        assert owner.wait(TIMEOUT_S) == 0
    assert is_free(port)


async def test_no_transaction_stays_open_for_more_than_a_minute(running: LocalBroker) -> None:
    longer = AIOKafkaProducer(
        bootstrap_servers=running.bootstrap, transactional_id="t", transaction_timeout_ms=60_001
    )
    with pytest.raises(InvalidTransactionTimeout):
        await longer.start()
    await longer.stop()
    allowed = AIOKafkaProducer(
        bootstrap_servers=running.bootstrap, transactional_id="t", transaction_timeout_ms=60_000
    )
    await allowed.start()
    await allowed.stop()


def test_messages_outlive_a_stop_and_a_kill_and_a_port_changes_only_before_clients_know_it(
    running: LocalBroker,
) -> None:
    address, port = running.bootstrap, port_of(running)
    asyncio.run(create_topic(address, "outliving"))
    asyncio.run(send(address, b"before the stop", topic="outliving"))
    running.keep_port()
    running.stop()
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(InfraError, match=f"Port {port} .* is in use"),
    ):
        running.start()
    running.start()
    asyncio.run(send(address, b"before the kill", topic="outliving"))
    running.kill()
    with LocalBroker(running.data_dir, 0) as again:
        assert again.bootstrap == address
        found = asyncio.run(read(address, 2, topic="outliving"))
        assert found == [b"before the stop", b"before the kill"]
