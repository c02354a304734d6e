"""Whether hosts or our own connection are at fault when hosts cannot be reached."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import FailureKind
from streams.agents.fetch.politeness.own_connection import SEVERAL, OwnConnection


def test_ten_look_ups_without_an_answer_are_ours_while_no_other_name_is_found() -> None:
    connection = OwnConnection()
    assert [connection.failed("a", "no_lookup") for _ in range(10)] == [True] * 10


def test_a_name_server_that_is_broken_is_the_pages_fault_once_others_answer() -> None:
    connection = OwnConnection()
    assert connection.failed("broken", "no_lookup")
    connection.answered("other")
    assert not connection.failed("broken", "no_lookup")
    connection.answered("other")
    assert not connection.failed("broken", "no_lookup")
    connection.answered("broken")
    assert connection.failed("broken", "no_lookup"), "an answer of its host begins its count again"


def test_a_dead_host_is_the_pages_fault_unless_several_fail_and_none_answers() -> None:
    connection = OwnConnection()
    assert not any(connection.failed("dead", "no_answer") for _ in range(10))
    fails = [connection.failed(str(number), "no_answer") for number in range(SEVERAL)]
    assert fails[-1]
    assert connection.failed("dead", "no_answer")
    connection.answered("alive")
    assert not connection.failed("dead", "no_answer")


def test_what_the_page_alone_is_to_blame_for_is_never_ours() -> None:
    connection = OwnConnection()
    assert not any(connection.failed(str(number), "page") for number in range(10))


def test_of_100_000_failing_hosts_only_so_many_are_remembered() -> None:
    connection = OwnConnection()
    for number in range(100_000):
        connection.failed(str(number), "no_answer")
    assert len(connection._known) == 10_000
    assert len(connection._failing) == SEVERAL


def test_of_more_failing_hosts_than_are_remembered_each_is_to_blame_once_another_answers() -> None:
    connection = OwnConnection()
    hosts = [str(number) for number in range(10_001)]
    for host in hosts:
        connection.failed(host, "no_lookup")
    connection.answered("alive")
    assert not any(connection.failed(host, "no_lookup") for host in hosts)


def test_a_host_that_answers_makes_room_for_another_that_fails() -> None:
    connection = OwnConnection()
    for number in range(10_000):
        connection.failed(str(number), "no_lookup")
    assert not connection.failed("new", "no_lookup"), "nothing is known of when it failed first"
    connection.answered("0")
    assert connection.failed("new", "no_lookup")


kinds = st.sampled_from(["page", "no_answer", "no_lookup", "no_route"])


@given(st.lists(st.tuples(st.sampled_from("abcd"), kinds), max_size=30), kinds)
def test_after_another_host_has_answered_a_host_that_failed_before_is_to_blame(
    failures: list[tuple[str, FailureKind]], kind: FailureKind
) -> None:
    connection = OwnConnection()
    for host, each in failures:
        connection.failed(host, each)
    connection.failed("a", "no_answer")
    connection.answered("z")
    assert not connection.failed("a", kind)
