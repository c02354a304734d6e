"""What many watches need is computed from what few were measured to take."""

from dataclasses import replace

import pytest

from bench.cost.check import rows
from bench.cost.measured import measured
from bench.cost.model import Answer, Demand, Measured, answer, store_size
from bench.cost.observed import Observed, between
from bench.cost.units import Rounds, expected, units

EACH = {
    "second": {"fetch": 0.01, "broker": 0.05},
    "check": {"fetch": 0.001, "broker": 0.0002},
    "unmodified": {"fetch": 0.0005, "broker": 0.0001},
    "change": {"fetch": 0.004, "match": 0.002},
    "notification": {"deliver": 0.003, "match": 0.001},
}


def observed(**numbers: float) -> Observed:
    """What a round must have used, by EACH."""
    cpu = expected({"cpu": EACH}, "cpu", numbers)
    second, check, unmodified, change, notice = (numbers.get(name, 0.0) for name in EACH)
    return Observed(second, check, unmodified, change, notice, cpu, {}, {}, {})


def test_what_each_unit_takes_is_found_from_rounds_that_have_one_more_kind() -> None:
    rounds = Rounds(
        pages=10,
        rest=observed(second=30),
        registered=observed(second=5, check=20),
        unchanged=observed(second=60, check=1_000),
        unmodified=observed(second=60, unmodified=1_000),
        changed=observed(second=60, check=1_000, change=500),
        notified=observed(second=60, check=1_000, change=500, notification=2_000),
    )
    found = units(rounds)["cpu"]
    for unit, parts in EACH.items():
        taken = {part: value for part, value in found[unit].items() if value > 1e-9}
        assert taken == pytest.approx(parts), unit
    assert found["watch"]["fetch"] == pytest.approx(0.002)


def test_what_was_used_between_two_moments_counts_what_is_new_from_nothing() -> None:
    first = Observed(10.0, 1, 0, 0, 0, {"up": 1.0}, {"changes": 5}, {}, {"up": 100})
    last = Observed(70.0, 4, 0, 1, 0, {"up": 3.0, "fetch": 2.0}, {"changes": 9}, {}, {"up": 90})
    used = between(first, last)
    assert (used.at, used.checks, used.changes) == (60.0, 3, 1)
    assert (used.cpu, used.kafka, used.memory) == (
        {"up": 2.0, "fetch": 2.0},
        {"changes": 4},
        {"up": 90},
    )


KNOWN = Measured(
    units={
        "cpu": EACH,
        "kafka": {"check": {"fetches": 100.0}, "change": {"changes": 1_000.0}},
        "store": {
            "watch": {"documents": 10_000.0},
            "change": {"snapshots": 5_000.0, "facts": 1_000.0},
        },
    },
    memory={"fetch": 100e6},
    held={
        "fetch": {"working": 50e6, "watch": 1_000.0},
        "match": {"subscription": 2_000.0},
    },
    operations={"check": 1, "change": 4},
    page=50_000,
)
SMALL = Demand(watches=36_000, interval=3_600, change=0.1)


def asked(**changes: float) -> Answer:
    return answer(replace(SMALL, **changes), KNOWN)  # type: ignore[arg-type]  # some are whole


def test_cores_are_those_of_all_units_and_of_workers_at_rest() -> None:
    found = asked()
    assert found.agents["fetch"].cores == pytest.approx(10 * 0.001 + 1 * 0.004 + 0.01)
    assert found.agents["match"].cores == pytest.approx(1 * 0.002 + 1 * 0.001)
    assert found.broker_cores == pytest.approx(10 * 0.0002)


def test_ten_times_the_watches_need_ten_times_the_bytes() -> None:
    one, ten = asked(), asked(watches=360_000)
    assert ten.kafka_in == pytest.approx(10 * one.kafka_in)
    assert ten.store_size == pytest.approx(10 * one.store_size)
    assert ten.store_operations == pytest.approx(10 * one.store_operations)


def test_subscriptions_cost_notifications_and_memory_of_match() -> None:
    one, five = asked(), asked(subscriptions=5)
    assert five.rates["notification"] == 5 * one.rates["notification"]
    assert five.agents["match"].memory == pytest.approx(5 * one.agents["match"].memory)
    assert five.agents["fetch"] == one.agents["fetch"]


def test_each_worker_has_in_memory_what_it_has_at_rest_and_what_it_works_with() -> None:
    found = asked(worker_memory=0.009).agents["fetch"]
    assert found.workers == 4
    assert found.memory == pytest.approx(4 * (100e6 + 50e6) + 36_000 * 1_000)


def test_memory_is_compared_with_what_a_process_has_in_all() -> None:
    found = replace(observed(second=10), memory={"fetch": 200e6, "up": 7e6})
    compared = {
        part: each for kind, part, *each in rows(KNOWN, found, 36_000, 1) if kind == "memory"
    }
    assert compared["fetch"] == [pytest.approx(186e6), 200e6]
    assert compared["up"] == [0.0, 7e6]


def test_a_304_is_a_check_without_its_page() -> None:
    found = asked(unmodified=1.0)
    assert (found.rates["check"], found.rates["unmodified"]) == (1.0, 9.0)
    assert found.pages_in == pytest.approx(50_000)


def test_replicas_are_written_and_kept_but_read_once_by_each_agent() -> None:
    one, three = asked(replication=1), asked(replication=3)
    assert three.kafka_in == pytest.approx(3 * one.kafka_in)
    assert three.kafka_disk == pytest.approx(3 * one.kafka_disk)
    assert three.kafka_out == one.kafka_out == pytest.approx(10 * 100 + 1 * 1_000 * 2)


def test_an_agent_has_workers_for_its_memory_although_few_would_do_the_work() -> None:
    assert asked().agents["match"].workers == 1
    assert asked(worker_memory=0.01).agents["match"].workers == 8


def test_there_are_partitions_for_four_times_the_workers() -> None:
    assert asked(worker_memory=0.01).partitions == 32


def test_no_page_has_more_older_texts_than_are_kept() -> None:
    few = store_size(replace(SMALL, history=0), KNOWN)
    many = store_size(replace(SMALL, history=1_000), KNOWN)
    assert many - few == pytest.approx(5_000 * 7 * 86_400)
    capped = store_size(replace(SMALL, history=2), KNOWN)
    assert capped - few == pytest.approx(5_000 * 2 * 36_000)


def test_the_kept_figures_answer_the_question_of_the_documentation() -> None:
    found = answer(Demand(), measured())
    assert found.rates["check"] == pytest.approx(1e8 / 3_600)
    assert found.brokers >= 3
    assert found.agents["fetch"].cores == max(each.cores for each in found.agents.values())
