"""An event that ends each process that handles it becomes a dead letter, and no other does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import (
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    TopicAuthorizationFailedError,
)
from hypothesis import example, given
from hypothesis import strategies as st

from streams.app import AGENTS
from streams.engine.acks.commit_metadata import MAX_OFFSETS, CommitMetadata
from streams.engine.acks.poison_messages import CAREFUL_S
from streams.engine.errors import LocalCopyUnusable
from tests.fakes.crashing import Life, group_of
from tests.harness.examples import examples

MESSAGES = 6
FATAL = 3
REASON = "the worker ended 3 times while this event was in hand"


def _inputs() -> Iterator[tuple[str, str]]:
    for agent in AGENTS.values():
        for topic in agent.reads:
            yield agent.name, topic.name


@pytest.mark.parametrize(("agent", "topic"), list(_inputs()))
async def test_what_ends_every_process_is_given_up_in_every_agent_and_all_else_is_handled(
    agent: str, topic: str
) -> None:
    """The worst case: it ends so quickly that nothing is noted before it has ended one."""
    group = group_of(AGENTS[agent], MESSAGES)
    fatal = TopicPartition(f"x.{topic}", 1), FATAL
    ends = 0
    while await (life := Life(group, fatal=[fatal])).run():
        ends += 1
        assert ends <= 4
    assert ends == 4
    assert group.given_up() == [(topic, FATAL, REASON)]
    await life.stop()
    assert dict.fromkeys(group.log, (MESSAGES, "")) == group.committed


async def test_what_was_noted_as_in_hand_is_given_up_after_three_ends() -> None:
    group = group_of(AGENTS["deliver"], MESSAGES)
    slow = TopicPartition("x.notifications", 1), FATAL
    for _ in range(3):
        life = Life(group, slow=[slow])
        assert not await life.run(), "it is at work"
        await life.commit()  # as each second; then SIGKILL
        group.now += CAREFUL_S * 8
    life = Life(group, slow=[slow])
    assert not await life.run()
    assert group.given_up() == [("notifications", FATAL, REASON)]


async def test_what_was_finished_before_the_third_end_is_not_given_up() -> None:
    """Though the process is killed before the next commit, up to a second later, was due."""
    slow = TopicPartition("x.notifications", 1), 0
    group = replace(group_of(AGENTS["deliver"], 0), log={slow[0]: 1})
    for _ in range(2):
        life = Life(group, slow=[slow])
        await life.run()
        await life.commit()
        life.kill()
    life = Life(group)
    assert not await life.run(), "all is handled"
    life.kill()
    last = Life(group)
    await last.run()
    assert group.given_up() == []
    assert slow not in last.agent.handled, "its end was committed"


async def test_what_stood_in_hand_beside_it_in_other_partitions_and_topics_is_not_given_up() -> (
    None
):
    group = group_of(AGENTS["deliver"], MESSAGES)
    fatal = TopicPartition("x.notifications", 1), 0
    slow = [(TopicPartition(f"x.{topic}", 0), 0) for topic in ("notifications", "attempts")]
    lives = 0
    while await Life(group, fatal=[fatal], slow=slow if lives < 2 else ()).run():
        lives += 1
        assert lives <= 5
    assert group.given_up() == [("notifications", 0, REASON)]


async def test_a_third_end_counts_only_for_the_event_that_was_handled_alone() -> None:
    """Kills from outside, as quick as each start: the group in hand is suspected, and no more."""
    place = TopicPartition("x.fetches", 0)
    group = replace(group_of(AGENTS["fetch"], 0), log={place: MESSAGES})
    every = [(place, offset) for offset in range(MESSAGES)]
    for life in range(3):
        process = Life(group, slow=every)
        assert not await process.run(), "all that it takes is at work"
        await process.commit()
        in_hand = CommitMetadata.decoded(group.committed[place][1]).in_hand
        assert in_hand == ((0,) if life == 2 else tuple(range(MESSAGES)))
        process.kill()
    last = Life(group)
    assert not await last.run()
    assert group.given_up() == [("fetches", 0, REASON)]
    assert last.agent.handled == every[1:]


async def test_an_end_that_is_not_followed_by_progress_is_remembered_by_kafka_alone() -> None:
    group = group_of(AGENTS["match"], MESSAGES)
    place = TopicPartition("x.changes", 0)
    assert await Life(group, fatal=[(place, 2)]).run()
    text = group.committed[place][1]
    assert CommitMetadata.decoded(text).since == 0


async def test_stops_that_were_asked_for_do_not_count() -> None:
    group = group_of(AGENTS["fetch"], MESSAGES)
    slow = TopicPartition("x.fetches", 0), FATAL
    for _ in range(5):
        life = Life(group, slow=[slow])
        assert not await life.run()
        await life.stop()
    assert group.given_up() == []
    assert group.committed[slow[0]] == (FATAL, "")


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why the process would have ended itself."""
    ended: list[str] = []
    monkeypatch.setattr(
        "streams.engine.acks.process_agents.end_process", lambda _, error: ended.append(repr(error))
    )
    return ended


BROKEN_WORLD = [
    OSError(28, "No space left on device"),
    LocalCopyUnusable("IO error: No space left on device"),
    KafkaTimeoutError(),
    TopicAuthorizationFailedError("notifications"),
]


@pytest.mark.parametrize("agent", ["ticker", "match", "deliver"])
@pytest.mark.parametrize("error", BROKEN_WORLD, ids=repr)
async def test_what_is_in_hand_when_the_world_is_broken_is_not_to_blame(
    agent: str, error: Exception, ended: list[str]
) -> None:
    group = group_of(AGENTS[agent], MESSAGES)
    for end in range(1, 7):
        await Life(group, error=error).run()
        assert len(ended) >= end
    assert group.given_up() == []
    assert not await Life(group).run()
    assert group.given_up() == []


async def test_an_outcome_that_the_broker_refuses_for_its_size_is_to_blame(
    ended: list[str],
) -> None:
    group = replace(group_of(AGENTS["match"], 0), log={TopicPartition("x.changes", 0): 1})
    for _ in range(4):
        await Life(group, error=MessageSizeTooLargeError()).run()
    assert len(ended) == 4
    await Life(group).run()
    assert group.given_up() == [("changes", 0, REASON)]


async def test_ends_at_other_offsets_do_not_add_up() -> None:
    """As on a day of crashes: each event is in hand at two ends at most, and all are handled."""
    place = TopicPartition("x.notifications", 0)
    group = replace(group_of(AGENTS["deliver"], 0), log={})
    for offset in range(0, 30, 2):
        group.log[place] = offset + 2
        for _ in range(2):
            assert await Life(group, fatal=[(place, offset)]).run()
        life = Life(group)
        assert not await life.run()
        await life.commit()
        assert (place, offset) in life.agent.handled
    assert group.given_up() == []


PLACES = st.sets(st.integers(0, MESSAGES - 1))


@examples(40)
@given(st.lists(st.tuples(PLACES, st.booleans(), st.booleans()), max_size=8))
@example([(set(), False, False)] * 5)
async def test_kills_at_random_give_up_nothing_that_was_not_in_hand_three_times(
    lives: list[tuple[set[int], bool, bool]],
) -> None:
    """Each life: what is at work when it ends, if that was noted in time, if it was a stop.

    What was done after the last commit, up to a second ago, counts as in hand, too.
    """
    place = TopicPartition("x.fetches", 0)
    group = replace(group_of(AGENTS["fetch"], 0), log={place: MESSAGES})
    in_hand: Counter[tuple[TopicPartition, int]] = Counter()
    for slow, is_noted, is_stop in lives:
        life = Life(group, slow=[(place, offset) for offset in slow])
        await life.run()
        if is_stop:
            await life.stop()
            continue
        if is_noted:
            await life.commit()
        noted = {
            (place, offset) for offset in CommitMetadata.decoded(group.committed[place][1]).in_hand
        }
        in_hand.update(life.kill() | noted)
    for _, offset, _ in group.given_up():
        assert in_hand[place, offset] >= 3


async def test_a_worker_that_nothing_has_happened_to_notes_no_event_before_it_is_handled() -> None:
    group = group_of(AGENTS["match"], 50)
    life = Life(group)
    assert not await life.run()
    assert group.commits == 1, "at the assignment"
    assert len(life.agent.handled) == 50 * len(group.log)


async def test_a_partition_that_had_nothing_left_at_any_end_is_handled_without_care() -> None:
    group = group_of(AGENTS["match"], 0)
    idle, busy = (TopicPartition("x.changes", partition) for partition in (0, 1))
    for _ in range(12):
        group.log[busy] += 2
        life = Life(group)
        await life.run()
        life.kill()
    assert [life.acks.poison_messages.is_careful(tp) for tp in (idle, busy)] == [False, True]
    assert CommitMetadata.decoded(group.committed[idle][1]) == CommitMetadata(since=0)


async def test_care_ends_after_a_while() -> None:
    group = group_of(AGENTS["match"], 50)
    assert await Life(group, fatal=[(TopicPartition("x.changes", 0), 0)]).run()
    careful = Life(group)
    assert not await careful.run()
    assert group.commits > 1 + 50 * len(group.log)
    careful.acks.open(dict.fromkeys(group.log, 50), {})
    assert not careful.acks.poison_messages.is_careful(TopicPartition("x.changes", 0))


@given(
    st.lists(st.integers(0, 10**18), max_size=MAX_OFFSETS),
    st.dictionaries(st.integers(0, 10**18), st.integers(1, 9), max_size=MAX_OFFSETS),
    st.none() | st.integers(0, 10**18),
    st.integers(0, 99),
)
def test_a_note_is_read_as_it_was_written_and_fits_into_a_commit(
    in_hand: list[int], ends: dict[int, int], since: int | None, cuts: int
) -> None:
    note = CommitMetadata(tuple(in_hand), ends, cuts, since)
    assert CommitMetadata.decoded(note.encoded()) == note
    assert len(note.encoded()) <= 4096


@pytest.mark.parametrize("text", ["", "x", "{", "[]", '{"in_hand": "x"}', '{"ends": {"a": 1}}'])
def test_a_text_that_is_no_note_says_nothing(text: str) -> None:
    assert CommitMetadata.decoded(text) == CommitMetadata()


@given(
    st.lists(st.integers(0, 300), max_size=MAX_OFFSETS, unique=True),
    st.dictionaries(st.integers(0, 300), st.integers(1, 9), max_size=MAX_OFFSETS),
    st.integers(0, 300),
)
def test_what_was_in_hand_counts_once_more_and_what_is_done_counts_no_more(
    in_hand: list[int], ends: dict[int, int], position: int
) -> None:
    taken_up = CommitMetadata(tuple(in_hand), ends, since=0).taken_up(position)
    assert taken_up.in_hand == ()
    assert len(taken_up.ends) <= MAX_OFFSETS
    for offset, count in taken_up.ends.items():
        assert offset >= position
        assert count == ends.get(offset, 0) + (offset in in_hand)
    left = {offset for offset in (*in_hand, *ends) if offset >= position}
    assert len(taken_up.ends) == min(len(left), MAX_OFFSETS)
