"""How the doctor judges what it finds."""

from dataclasses import replace
from pathlib import Path

import pytest
from aiokafka import TopicPartition

from connectors.kafka.groups import Group
from connectors.kafka.inspection import FoundTopic
from connectors.kafka.topics import TopicSpec
from schemas.records.documents import FailingDocument, FlappingDocument, LostDocument, PageWait
from streams.cli.checks.clock import LastTick, judge_clock
from streams.cli.checks.documents import (
    MOST_COUNTED,
    judge_failures,
    judge_losses,
    judge_returns,
    judge_waits,
)
from streams.cli.checks.finding import Finding, Level
from streams.cli.checks.judgement import (
    judge_agent,
    judge_dead_letters,
    judge_missing,
    judge_settings,
    judge_transactions,
)
from streams.cli.checks.topics import judge_topics
from streams.effects.topics import topic_specs
from streams.settings import Settings

CHANGES = TopicSpec("v.changes", 4, {"retention.ms": "1000", "max.message.bytes": "16"})
TABLE = TopicSpec("v.match-subscriptions-changelog", 4, {"cleanup.policy": "compact"})
GOOD = FoundTopic(4, 0, 3, {"retention.ms": "1000", "max.message.bytes": "20"})
NOW = 1_700_000_000_000
A_LOT = 10**12


def found(changes: FoundTopic, replication: int | None = None) -> list[Finding]:
    return list(judge_topics([CHANGES], {"v.changes": changes}, replication or 3))


def test_topics_that_are_as_they_must_be_are_one_good_finding() -> None:
    (finding,) = found(GOOD)
    assert (finding.level, finding.text) == (Level.OK, "all 1 exist, with 4 partitions each")


def test_missing_topics_are_named_and_can_be_created() -> None:
    (finding,) = judge_topics([CHANGES, TABLE], {"v.changes": GOOD}, 3)
    assert finding.level is Level.ERROR
    assert "1 of 2 are missing: v.match-subscriptions-changelog" in finding.text
    assert "vokter topics create" in finding.remedy


@pytest.mark.parametrize(
    ("topic", "level", "says"),
    [
        (replace(GOOD, partitions=3), Level.ERROR, "it has 3 partitions, but must have 4"),
        (replace(GOOD, leaderless=2), Level.ERROR, "2 partitions have no leader"),
        (replace(GOOD, replication=1), Level.WARNING, "its replication factor is 1, not 3"),
        (
            replace(GOOD, config={"retention.ms": "5"}),
            Level.WARNING,
            "retention.ms is 5, not 1000",
        ),
        (
            replace(GOOD, config={"max.message.bytes": "15"}),
            Level.ERROR,
            "max.message.bytes is 15, not 16",
        ),
        (
            replace(GOOD, config={"min.insync.replicas": "4"}),
            Level.ERROR,
            "min.insync.replicas is 4, but the replication factor is 3",
        ),
        (
            replace(GOOD, config={"min.insync.replicas": "1"}),
            Level.WARNING,
            "min.insync.replicas is 1: a message may be acknowledged that one broker alone has",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_topic_is_reported_with_what_to_do(
    topic: FoundTopic, level: Level, says: str
) -> None:
    (finding,) = found(topic)
    assert (finding.level, finding.about, finding.text) == (level, "v.changes", says)
    assert finding.remedy


def test_a_changelog_that_is_deleted_in_time_is_an_error() -> None:
    topic = FoundTopic(4, 0, 3, {"cleanup.policy": "compact,delete"})
    (finding,) = judge_topics([TABLE], {TABLE.name: topic}, 3)
    assert finding.level is Level.ERROR
    both = replace(TABLE, config={"cleanup.policy": "delete,compact"})
    (finding,) = judge_topics([both], {TABLE.name: topic}, 3)
    assert finding.level is Level.OK, "the order does not matter"


def test_two_of_three_replicas_in_sync_are_enough_and_one_of_two() -> None:
    two = replace(GOOD, config={"min.insync.replicas": "2"})
    assert [each.level for each in found(two)] == [Level.OK]
    pair = replace(GOOD, replication=2, config={"min.insync.replicas": "1"})
    assert [each.level for each in found(pair, replication=2)] == [Level.OK]


def test_one_replica_is_enough_for_one_broker_and_where_it_is_set() -> None:
    one = replace(GOOD, replication=1)
    assert [each.level for each in found(one, replication=1)] == [Level.OK]
    alone = judge_topics([CHANGES], {"v.changes": one}, 1)
    assert [each.level for each in alone] == [Level.OK]


def test_what_topics_are_created_with_is_what_is_looked_for() -> None:
    wanted = topic_specs(Settings())
    there = {topic.name: FoundTopic(topic.partitions, 0, 1, topic.config) for topic in wanted}
    assert [each.level for each in judge_topics(wanted, there, 1)] == [Level.OK]


@pytest.mark.parametrize(
    ("stored", "skew", "levels"),
    [
        (NOW - 60_000, -3_000, [Level.OK]),
        (NOW - 60_000, 6_000, [Level.WARNING]),
        (NOW, -6_000, [Level.WARNING]),
        (NOW, -61_000, [Level.ERROR]),
        (NOW, 61_000, [Level.ERROR]),
        (NOW + 6_000, 0, [Level.ERROR, Level.OK]),
        (NOW - 91_000, 0, [Level.WARNING]),
    ],
)
def test_clocks_are_judged_by_the_brokers(stored: int, skew: int, levels: list[Level]) -> None:
    found = list(judge_clock(NOW, LastTick(stored + skew, stored)))
    assert [each.level for each in found] == levels


def test_a_schedule_that_does_not_tick_is_reported_with_the_command_to_start() -> None:
    (never,) = judge_clock(NOW, None)
    (stopped,) = judge_clock(NOW, LastTick(NOW - 7_200_000, NOW - 7_200_000))
    assert never.level is stopped.level is Level.WARNING
    assert "2h ago" in stopped.text
    assert all("vokter worker ticker" in each.remedy for each in (never, stopped))


def test_partitions_that_nobody_holds_are_reported_with_the_command_to_start() -> None:
    places = frozenset(TopicPartition("v.fetches", number) for number in range(4))
    assert judge_agent("fetch", Group("Stable", 2, places, {}), places).level is Level.OK
    finding = judge_agent("fetch", Group("Empty", 0, frozenset(), {}), places)
    assert (finding.level, finding.text) == (Level.WARNING, "empty, 0 of 4 partitions are held")
    assert finding.remedy == "Start a worker: vokter worker fetch"


def test_the_changelog_of_a_table_makes_up_for_no_partition_that_nobody_holds() -> None:
    wanted = frozenset(TopicPartition("v.changes", number) for number in range(2))
    held = frozenset(TopicPartition(TABLE.name, number) for number in range(2))
    finding = judge_agent("match", Group("Stable", 1, held, {}), wanted)
    assert (finding.level, finding.text) == (Level.WARNING, "stable, 0 of 2 partitions are held")


def test_settings_that_are_seldom_meant_are_reported(tmp_path: Path) -> None:
    usual = Settings(data_dir=tmp_path)
    assert [each.level for each in judge_settings(usual, has_keys=False, free=A_LOT)] == [Level.OK]
    networks = ("10.0.0.0/8",)
    odd = Settings(data_dir=tmp_path, host="192.0.2.1", robots="ignore", allow_private=networks)
    texts = "\n".join(each.text for each in judge_settings(odd, has_keys=False, free=1_000_000))
    for part in ("without API keys", "robots.txt", "10.0.0.0/8", "1 MB are free"):
        assert part in texts
    assert "without API keys" not in "\n".join(
        each.text for each in judge_settings(odd, has_keys=True, free=A_LOT)
    )


def test_documents_that_wait_too_long_are_reported_with_the_first_and_its_reason() -> None:
    assert judge_waits([], 100_000) == Finding(Level.OK, "fetches", "no document waits")
    reason = "its host is asked for 1.4 times as many visits as it can have, one every 1 s"
    wait = PageWait("http://a.test/", "w", 10_000, reason)
    late = judge_waits([wait, replace(wait, url="http://b.test/", since=90_000)], 100_000)
    assert late.level is Level.WARNING
    assert late.text.startswith("documents that are due and wait: 2; the first, http://a.test/, ")
    assert late.text.endswith(f"for 90 s: {reason}")
    assert "longer intervals" in late.remedy
    several = judge_waits([wait, *[replace(wait, url=f"http://b.test/{n}") for n in "12"]], 100_000)
    assert several.text.startswith("documents that are due and wait: 3 (2 of b.test); the first, ")
    soon = judge_waits([wait], 50_000)
    assert (soon.level, soon.remedy) == (Level.OK, "")


def test_dead_letters_of_the_last_day_are_reported_with_the_command_that_lists_them() -> None:
    day = 24 * 3600 * 1000
    for newest in (None, NOW - day - 1):
        assert judge_dead_letters(newest, NOW).level is Level.OK
    finding = judge_dead_letters(NOW - 120_000, NOW)
    assert finding.level is Level.WARNING
    assert "2m ago" in finding.text
    assert "vokter dead-letters list" in finding.remedy


def test_documents_that_go_back_to_earlier_texts_are_reported_with_what_to_do() -> None:
    assert judge_returns([]).level is Level.OK
    page = FlappingDocument("http://a.test/", 9)
    found = judge_returns([page, page, FlappingDocument("http://b.test/", 8)])
    assert found.level is Level.WARNING
    assert found.text.endswith("three times a day or more: 2; the first, http://a.test/")
    assert "ignoreReturns" in found.remedy
    assert "vokter list --flapping" in found.remedy


def test_a_document_that_lacks_what_is_watched_is_a_warning_that_says_since_when() -> None:
    assert judge_losses([], NOW).level is Level.OK
    page = LostDocument("http://a.test/", NOW - 7_260_000, "nothing on the page matches")
    found = judge_losses([page, page, LostDocument("http://b.test/", NOW, "a login page")], NOW)
    assert found.level is Level.WARNING
    assert ": 2; the first, http://a.test/, for 121m: nothing on the page" in found.text
    assert "vokter list --lost" in found.remedy


def test_documents_that_fail_are_a_warning_while_others_are_read_and_an_error_if_none_is() -> None:
    assert judge_failures([], has_good=False).level is Level.OK
    assert judge_failures([], has_good=True).level is Level.OK
    worst = FailingDocument("http://a.test/", 3, "answered 404\x1b[2J")
    failing = [worst, replace(worst, failures=2), FailingDocument("http://b.test/", 1, "timed out")]
    some = judge_failures(failing, has_good=True)
    assert some.level is Level.WARNING
    assert some.text == (
        "failed at their last fetch: 2; the first, http://a.test/ (failures in a row: 3): "
        "answered 404\\x1b[2J"
    )
    none = judge_failures(failing, has_good=False)
    assert (none.level, none.text) == (Level.ERROR, f"all {some.text}")
    assert "vokter list --failing" in some.remedy
    assert "VOKTER_ALLOW_PRIVATE" in none.remedy
    many = judge_failures([worst] * MOST_COUNTED, has_good=True)
    assert "failed at their last fetch: 1 or more; " in many.text


def test_an_agent_that_only_some_pages_need_is_missed_when_they_wait() -> None:
    assert judge_missing("render", 0).level is Level.OK
    waiting = judge_missing("render", 3)
    assert waiting.level is Level.WARNING
    assert "no worker runs, and pages that need scripts wait (messages: 3)" in waiting.text
    assert waiting.remedy.endswith("vokter worker render")


def test_a_topic_that_an_open_transaction_holds_up_is_named() -> None:
    here, there, busy = (TopicPartition(name, 0) for name in ("v.requests", "v.quiet", "v.busy"))
    before = {here: (7, 2), there: (3, 0), busy: (7, 1)}
    (finding,) = judge_transactions(before, before | {here: (7, 5), busy: (9, 1)}, 3.0)
    assert finding.level is Level.WARNING
    assert "a transaction on v.requests is open for 3 s, and holds up all messages" in finding.text
    assert "transaction.max.timeout.ms" in finding.remedy
    assert judge_transactions(before, {here: (9, 0), there: (5, 1), busy: (9, 1)}, 3.0) == []
