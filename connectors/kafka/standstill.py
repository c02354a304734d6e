"""Notice a partition's committed offset at a standstill while messages wait."""

from collections.abc import Hashable, Mapping

from aiokafka import TopicPartition

Progress = tuple[Hashable, int]
"""Signs of progress in work, such as the committed offset; and waiting messages."""


class StandstillClock:
    """Remembers since when each partition has shown the same progress with messages waiting.

    Example:
        >>> clock, partition = StandstillClock(), TopicPartition("changes", 0)
        >>> clock.note(10.0, {partition: (5, 2)})
        >>> clock.note(30.0, {partition: (5, 4)})
        >>> clock.ages(40.0)[partition]
        30.0
    """

    def __init__(self) -> None:
        """Start without any partition."""
        self._since: dict[TopicPartition, tuple[Hashable, float | None]] = {}

    def note(self, now: float, progress: Mapping[TopicPartition, Progress]) -> None:
        """Note how far each partition is at a time (s), and forget all others."""
        known, self._since = self._since, {}
        for partition, (shown, waiting) in progress.items():
            before, since = known.get(partition, (None, None))
            moves = before != shown or since is None
            # Without messages there is nothing to do, so they count from the first look that
            # found them: looks may be far apart, as those of a health check are.
            begun = None if waiting <= 0 else now if moves else since
            self._since[partition] = shown, begun

    def ages(self, now: float) -> dict[TopicPartition, float]:
        """Return for how long (s) each partition has stood still: 0 if nothing waits there."""
        return {
            partition: 0.0 if since is None else now - since
            for partition, (_, since) in self._since.items()
        }
