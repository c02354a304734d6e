"""A partition stands still while its progress does not change and messages wait."""

from aiokafka import TopicPartition

from connectors.kafka.standstill import Progress, StandstillClock

HERE, THERE = TopicPartition("in", 0), TopicPartition("in", 1)


def ages(now: float, *notes: tuple[float, dict[TopicPartition, Progress]]) -> dict[object, float]:
    clock = StandstillClock()
    for at, progress in notes:
        clock.note(at, progress)
    return dict(clock.ages(now))


def test_the_age_counts_from_the_first_look_that_found_messages_waiting_there() -> None:
    assert ages(40, (10, {HERE: (5, 2)}), (30, {HERE: (5, 9)})) == {HERE: 30}


def test_progress_starts_the_count_again() -> None:
    assert ages(40, (10, {HERE: (5, 2)}), (30, {HERE: (6, 2)})) == {HERE: 10}


def test_a_partition_with_nothing_waiting_stands_still_for_no_time() -> None:
    assert ages(99, (10, {HERE: (5, 2)}), (30, {HERE: (5, 0)})) == {HERE: 0}


def test_messages_that_come_after_a_quiet_time_have_waited_only_since_then() -> None:
    assert ages(99, (10, {HERE: (5, 0)}), (90, {HERE: (5, 1)})) == {HERE: 9}


def test_a_partition_that_was_away_is_counted_from_its_return() -> None:
    assert ages(40, (10, {HERE: (5, 2)}), (20, {}), (30, {HERE: (5, 2)})) == {HERE: 10}


def test_partitions_are_counted_apart() -> None:
    before: dict[TopicPartition, Progress] = {HERE: (5, 2), THERE: (0, 1)}
    assert ages(40, (10, before), (30, {**before, THERE: (1, 1)})) == {HERE: 30, THERE: 10}
