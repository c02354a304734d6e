"""Poll a share of each partition: many messages of a partition hold up neither others nor the loop.

aiokafka unpacks all that a broker has sent of a partition at once: of 16 MB of small messages that
takes seconds. With its ``max_records`` it begins with the same partition each time, and never comes
to the last. Seen on aiokafka 0.14.0.
"""

from collections.abc import Container
from typing import Any

from aiokafka import ConsumerRecord, TopicPartition
from aiokafka.consumer.fetcher import Fetcher, FetchResult


def polled(
    fetcher: Fetcher,
    partitions: Container[TopicPartition],
    without: Container[TopicPartition],
    most: int,
) -> dict[TopicPartition, list[ConsumerRecord]]:
    """Return up to ``most`` fetched messages of each partition; those after them stay fetched.

    It never waits: so no message is lost in a rebalance between two partitions.
    """
    found = {}
    # What is no result is an error, for aiokafka to raise when nothing else has come.
    results: dict[Any, Any] = fetcher._records  # noqa: SLF001 - there is no public way
    for partition, result in list(results.items()):
        if not isinstance(result, FetchResult) or partition in without:
            continue
        if partition in partitions:
            if messages := result.getall(most):
                found[partition] = messages
            if not result.has_more():
                del results[partition]
                fetcher._notify(fetcher._wait_consume_future)  # noqa: SLF001 - more is fetched
    return found
