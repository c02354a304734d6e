"""How ``vokter doctor --repair`` counts the watches that match states."""

from types import SimpleNamespace
from typing import Any

from aiokafka import TopicPartition

from connectors.registry.codec import Codec
from schemas.codec import wire
from schemas.records.watches import StatedWatch, Watch, WatchesStated
from streams.cli.health.repair import TIMEOUT_S, stated_watches
from streams.values.url_hashes import LAST_HASH
from tests.fakes.subscriptions import subscribed

STATES, SILENT = TopicPartition("v.subscriptions", 0), TopicPartition("v.subscriptions", 1)
OTHERS = wire.encode(subscribed())
STEP_S = 20.0


def stated(last: int) -> bytes:
    return wire.encode(WatchesStated(0, last, (StatedWatch("http://a.test/", Watch("s1", 60)),), 1))


class BusyTopic:
    """Partitions on which a message comes every so many seconds of a clock."""

    def __init__(self, *stated: bytes) -> None:
        self.now = 0.0
        self.coming = list(stated)

    def assignment(self) -> set[TopicPartition]:
        return {STATES, SILENT}

    async def getone(self) -> Any:
        self.now += STEP_S
        assert self.now < 10 * TIMEOUT_S, "the silent partition is waited for without end"
        value = self.coming.pop(0) if self.coming else OTHERS
        return SimpleNamespace(topic=STATES.topic, partition=STATES.partition, value=value)


async def test_a_partition_that_states_nothing_is_given_up_however_much_others_bring() -> None:
    topic: Any = BusyTopic(stated(5), b"no record", stated(LAST_HASH))
    counts = await stated_watches(topic, Codec(), lambda: topic.now)
    assert counts == {STATES: 2, SILENT: None}
    assert topic.now <= TIMEOUT_S + STEP_S


async def test_a_partition_that_goes_on_stating_has_its_time_each_time() -> None:
    topic: Any = BusyTopic(*(stated(number) for number in range(9)), stated(LAST_HASH))
    counts = await stated_watches(topic, Codec(), lambda: topic.now)
    assert counts == {STATES: 10, SILENT: None}
