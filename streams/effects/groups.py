"""The consumer groups of stages, as the API asks the broker for them."""

from collections.abc import Mapping

from streams.app import Process
from streams.values.topics import group_id


def consumer_groups(
    prefix: str, stages: Mapping[str, Process]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the group of each stage, and the full names of its topics."""
    return {
        name: (group_id(prefix, name), tuple(prefix + topic.name for topic in stage.reads))
        for name, stage in stages.items()
    }
