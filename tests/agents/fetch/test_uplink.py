"""Whether hosts or our own connection are at fault when hosts cannot be reached."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import FailureKind
from streams.agents.fetch.politeness.uplink import SEVERAL, Uplink


def test_ten_look_ups_without_an_answer_are_ours_while_no_other_name_is_found() -> None:
    uplink = Uplink()
    assert [uplink.failed("a", "no_lookup") for _ in range(10)] == [True] * 10


def test_a_name_server_that_is_broken_is_the_pages_fault_once_others_answer() -> None:
    uplink = Uplink()
    assert uplink.failed("broken", "no_lookup")
    uplink.answered("other")
    assert not uplink.failed("broken", "no_lookup")
    uplink.answered("other")
    assert not uplink.failed("broken", "no_lookup")
    uplink.answered("broken")
    assert uplink.failed("broken", "no_lookup"), "an answer of its host begins its count again"


def test_a_dead_host_is_the_pages_fault_unless_several_fail_and_none_answers() -> None:
    uplink = Uplink()
    assert not any(uplink.failed("dead", "no_answer") for _ in range(10))
    fails = [uplink.failed(str(number), "no_answer") for number in range(SEVERAL)]
    assert fails[-1]
    assert uplink.failed("dead", "no_answer")
    uplink.answered("alive")
    assert not uplink.failed("dead", "no_answer")


def test_what_the_page_alone_is_to_blame_for_is_never_ours() -> None:
    uplink = Uplink()
    assert not any(uplink.failed(str(number), "page") for number in range(10))


def test_of_100_000_failing_hosts_only_so_many_are_remembered() -> None:
    uplink = Uplink()
    for number in range(100_000):
        uplink.failed(str(number), "no_answer")
    assert len(uplink) == 10_000
    assert len(uplink._failing) == SEVERAL


def test_of_more_failing_hosts_than_are_remembered_each_is_to_blame_once_another_answers() -> None:
    uplink = Uplink()
    hosts = [str(number) for number in range(10_001)]
    for host in hosts:
        uplink.failed(host, "no_lookup")
    uplink.answered("alive")
    assert not any(uplink.failed(host, "no_lookup") for host in hosts)


def test_a_host_that_answers_makes_room_for_another_that_fails() -> None:
    uplink = Uplink()
    for number in range(10_000):
        uplink.failed(str(number), "no_lookup")
    assert not uplink.failed("new", "no_lookup"), "nothing is known of when it failed first"
    uplink.answered("0")
    assert uplink.failed("new", "no_lookup")


kinds = st.sampled_from(["page", "no_answer", "no_lookup", "no_route"])


@given(st.lists(st.tuples(st.sampled_from("abcd"), kinds), max_size=30), kinds)
def test_after_another_host_has_answered_a_host_that_failed_before_is_to_blame(
    failures: list[tuple[str, FailureKind]], kind: FailureKind
) -> None:
    uplink = Uplink()
    for host, each in failures:
        uplink.failed(host, each)
    uplink.failed("a", "no_answer")
    uplink.answered("z")
    assert not uplink.failed("a", kind)
