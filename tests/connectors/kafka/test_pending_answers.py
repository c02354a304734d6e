"""An answer is for the call that asked, and for no other."""

from dataclasses import replace

from connectors.kafka.pending_answers import PendingAnswers
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed
from tests.fakes.subscriptions import subscription

ID = "order-1"


def rejected(manager: str) -> Rejected:
    return Rejected(ID, manager, 5, "", "http://a.test/", None, 1)


async def test_an_answer_goes_to_the_manager_that_asked_though_another_used_the_same_id() -> None:
    pending = PendingAnswers()
    with pending.expected("a", ID) as a, pending.expected("b", ID) as b:
        granted = Subscribed(ID, replace(subscription(), manager="a"), "http://a.test/", None, 1)
        pending.resolve(granted)
        assert (await a, b.done()) == (granted, False)
        pending.resolve(rejected("b"))
        assert (await b) == rejected("b")


async def test_each_kind_of_answer_is_resolved_by_its_manager() -> None:
    pending = PendingAnswers()
    for answer in (rejected("b"), Cancelled(ID, "s", "b", "http://a.test/", None, 1)):
        with pending.expected("a", ID) as a, pending.expected("b", ID) as b:
            pending.resolve(answer)
            assert (await b, a.done()) == (answer, False)


async def test_all_who_wait_for_one_answer_get_it_and_who_has_left_is_forgotten() -> None:
    pending = PendingAnswers()
    with pending.expected("a", ID) as left:
        pass
    with pending.expected("a", ID) as first, pending.expected("a", ID) as second:
        pending.resolve(rejected("a"))
        assert [await each for each in (first, second)] == [rejected("a")] * 2
    assert not left.done()
    assert len(pending) == 0
