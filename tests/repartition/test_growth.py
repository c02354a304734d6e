"""Which numbers of partitions are possible, and what a half-done addition says of itself."""

import pytest

from schemas.records.claims import Partitioned
from streams.agents.match.register.cases import Origin
from streams.agents.match.request_handler import Forwarding
from streams.cli.checks.finding import Level
from streams.cli.checks.judgement import judge_repartition
from streams.repartition.growth import NoGrowth, check_growth
from streams.values.outcome import Event


@pytest.mark.parametrize("partitions", [8, 4, 12, 1008])
def test_only_a_multiple_up_to_the_most_is_possible(partitions: int) -> None:
    with pytest.raises(NoGrowth, match="for example 16, 24, 32"):
        check_growth(8, partitions)


def test_a_multiple_is_possible() -> None:
    check_growth(8, 32)


def test_doctor_says_how_to_go_on_with_what_is_half_done() -> None:
    (found,) = judge_repartition(Partitioned(32, 8, begun=1))
    assert found.level is Level.ERROR
    assert "vokter repartition 32" in found.remedy
    assert list(judge_repartition(Partitioned(32, 8, begun=1, is_done=True))) == []


def copied(partition: int) -> Event:
    headers = (("vokter-forwarded", b"1:4:9"), ("vokter-moved", b"7"))
    return Event("subscription-requests", partition, 8, 10, None, b"", headers, None)


@pytest.mark.parametrize("partition", [1, 3])
def test_a_copied_request_is_known_by_where_it_was_first_read(partition: int) -> None:
    forwarding = Forwarding(lambda _: partition, 4)
    assert forwarding.forwarded(copied(partition), "any") is None
    assert forwarding.origin(copied(partition)) == Origin(1, 4, 9)


def test_a_copy_with_another_key_is_forwarded_with_its_first_mark() -> None:
    outcome = Forwarding(lambda _: 0, 4).forwarded(copied(1), "any")
    assert outcome is not None
    (send,) = outcome.sends
    assert send.headers == (("vokter-forwarded", b"1:4:9"),)
