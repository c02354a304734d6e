"""The deliver agent if receivers have to answer a challenge first."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field, replace

from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from schemas.codec import wire
from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import (
    Attempt,
    ClientGone,
    DeliveryFailed,
    ReceiverAsked,
    ReceiverConfirmed,
    Redeliver,
)
from schemas.records.requests import Expire
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import Proof
from schemas.records.urls import hostname
from streams.agents.deliver.outbox.challenge_budgets import (
    GRANT_MS,
    PER_ADDRESS,
    PER_ADDRESS_AND_MANAGER,
    PER_HOST,
    PER_MANAGER,
    WINDOW_MS,
)
from streams.agents.deliver.outbox.proofs import MOST_PUT_OFF_MS
from streams.agents.deliver.outbox.recipients import FAILING, PROOF, Recipient
from streams.agents.deliver.outbox_rows import DELIVERED, GRANTS, OUTBOX, RECEIVERS
from tests.fakes.outgoing import (
    ATTEMPTS,
    CHALLENGES,
    CLIENT,
    NOTIFICATIONS,
    PAGE,
    REFUSED,
    TAKEN,
    Office,
    notification,
)
from tests.harness.examples import examples

ALMOST = 1.25
HOUR = 3600.0
SILENT = "did not answer with the challenge"


async def office(*schedule: float) -> Office:
    return await (Office(schedule, asks=True) if schedule else Office(asks=True)).begin()


async def test_a_receiver_is_notified_in_order_once_it_has_answered_a_challenge() -> None:
    it = await office()
    await it.notify(*(notification(name) for name in "ab"))
    assert [asked.client for asked in it.asking] == [CLIENT]
    await it.pass_time(60)
    assert (it.posts, it.rows(OUTBOX)) == ([], ["a", "b"])
    await it.reply()
    await it.pass_time(1)
    for name in "ab":
        assert it.notified == [name]
        await it.answer(TAKEN)
        await it.settle()
    assert it.rows(DELIVERED) == ["a", "b"]


async def test_a_receiver_that_is_asked_is_stated_with_its_last_answer_until_it_confirms() -> None:
    it = await office(0, 10, 100)
    begun = it.now
    await it.notify(notification("a"), notification("b"))
    await it.reply("timed out")
    failed = it.now
    await it.pass_time(10 * ALMOST)
    await it.reply()
    first, second = it.of(ReceiverAsked)
    assert first == ReceiverAsked("m", CLIENT, 0, "", next=first.next, at=begun)
    assert second == ReceiverAsked("m", CLIENT, 1, "timed out", next=second.next, at=failed)
    assert failed + 8_000 <= second.next <= failed + 12_000
    assert it.of(ReceiverConfirmed) == [ReceiverConfirmed("m", CLIENT, it.now)]


async def test_a_receiver_that_has_answered_is_not_challenged_again_soon() -> None:
    it = await office()
    await it.notify(notification("a"))
    await it.reply()
    await it.crash()
    await it.notify(notification("b", url="http://other.test/"))
    assert it.notified == ["b"]
    await it.pass_time(1)
    assert it.notified == ["b", "a"]
    assert len(it.asked) == 1


async def test_no_command_notifies_a_receiver_that_has_not_answered() -> None:
    it = await office()
    await it.notify(notification("a"), notification("b", url="http://other.test/"))
    it.produce(Attempt("a", 0), topic=ATTEMPTS)
    it.produce(*(Redeliver(each) for each in it.kept.topics[NOTIFICATIONS]), topic=ATTEMPTS)
    await it.settle()
    await it.pass_time(1)
    assert it.posts == []
    await it.reply()
    await it.pass_time(1)
    assert sorted(it.notified) == ["a", "b"]


async def test_a_receiver_that_never_answers_is_challenged_on_schedule_and_then_given_up() -> None:
    it = await office(0, 10, 100)
    await it.notify(notification("a"), notification("b"))
    await it.reply("timed out")
    await it.pass_time(7)
    assert it.asking == []
    await it.pass_time(10 * ALMOST - 7)
    await it.reply("timed out")
    await it.pass_time(100 * ALMOST)
    await it.reply(SILENT)
    reason = f"its receiver has not confirmed that it wants it: {SILENT}"
    assert it.kept.facts[-4:] == [
        DeliveryFailed("a", "of a", "m", CLIENT, 0, reason, it.now),
        Expire(PAGE, "of a", reason, "m", Receiver(CLIENT)),
        DeliveryFailed("b", "of b", "m", CLIENT, 0, reason, it.now),
        Expire(PAGE, "of b", reason, "m", Receiver(CLIENT)),
    ]
    assert (it.posts, it.rows(OUTBOX), it.known(PROOF)) == ([], [], [])
    it.now += WINDOW_MS
    await it.notify(notification("c"))
    assert len(it.asking) == 1, "the next one begins again"


async def test_a_host_is_challenged_three_times_an_hour_whatever_its_ports_and_paths() -> None:
    it = await office()
    urls = [f"http://host.test:{port}/{port}" for port in range(5)]
    await it.notify(*(notification(url, url) for url in urls))
    await it.notify(notification("elsewhere", "http://other.test/"))
    assert [client for _, client in it.asked] == [*urls[:3], "http://other.test/"]
    for _ in range(4):
        await it.reply(SILENT)
    await it.pass_time(HOUR - 1)
    assert len(it.asked) == 4 + len([each for each in it.asked[4:] if "other" in each[1]])
    await it.pass_time(WINDOW_MS / 1000 - HOUR + 1)
    again = [client for _, client in it.asked[4:] if "other" not in client]
    assert len(again) == PER_HOST


async def test_each_manager_has_its_own_challenges_of_a_host() -> None:
    it = await office()
    urls = [f"http://host.test/{number}" for number in range(4)]
    for manager in "ba":
        await it.notify(*(notification(f"{manager}{u}", u, manager=manager) for u in urls))
    assert len(it.asked) == 2 * PER_HOST, "b has used up nothing of a's"


async def test_a_machine_with_many_names_is_challenged_as_often_as_one_address_may_be() -> None:
    it = await office()
    managers = [f"m{number}" for number in range(5)]
    for manager in managers:
        urls = [f"http://{number}.{manager}.test/" for number in range(50)]
        it.addresses |= {hostname(url): f"2001:db8::{n}" for n, url in enumerate(urls)}
        await it.notify(*(notification(url, url, manager=manager) for url in urls))
    assert len(it.asked) == PER_ADDRESS
    first = [client for _, client in it.asked if ".m0." in client]
    assert len(first) == PER_ADDRESS_AND_MANAGER, "one manager leaves room for others"


async def test_a_manager_with_a_wildcard_name_makes_no_more_challenges_than_its_share() -> None:
    it = await office()
    urls = [f"http://{number}.wild.test/" for number in range(PER_MANAGER + 20)]
    it.addresses = {hostname(url): f"192.0.2.{number % 250}" for number, url in enumerate(urls)}
    await it.notify(*(notification(url, url) for url in urls))
    assert len(it.asked) == PER_MANAGER
    await it.notify(notification("mine", "http://mine.test/", manager="other"))
    assert it.asked[-1][1] == "http://mine.test/"
    assert len(it.rows(GRANTS)) == 2 + 200 + 1, "a row for each manager and address"


async def test_a_name_that_cannot_be_looked_up_is_a_failed_challenge() -> None:
    it = await office(0, 10)
    it.addresses["lost.test"] = ""
    await it.notify(notification("a", "http://lost.test/"))
    await it.pass_time(10 * ALMOST)
    (failed,) = it.of(DeliveryFailed)
    assert failed.reason.endswith("host name look-up failed")
    assert it.asked == []


DAY = 24 * HOUR


async def test_a_proof_is_renewed_after_two_weeks_while_the_receiver_goes_on_being_notified() -> (
    None
):
    it = await office()
    await it.notify(notification("a"))
    await it.reply()
    await it.pass_time(1)
    await it.answer(TAKEN)
    it.now += round(14 * DAY * 1000)
    await it.notify(notification("b"))
    assert (it.notified, it.asking) == (["b"], [])
    await it.answer(TAKEN)
    await it.settle()
    assert len(it.asking) == 1
    await it.crash()
    await it.settle()
    await it.pass_time(60)
    await it.notify(notification("c"))
    assert (it.notified, len(it.asking)) == (["c"], 1)
    await it.reply()
    await it.answer(TAKEN)
    it.now += round(13 * DAY * 1000)
    await it.notify(notification("d"))
    await it.answer(TAKEN)
    await it.settle()
    assert it.asking == [], "it has just answered"
    assert (len(it.of(ReceiverAsked)), len(it.of(ReceiverConfirmed))) == (1, 1), (
        "nothing waited later"
    )


async def test_a_receiver_that_refuses_to_renew_its_proof_is_notified_no_more() -> None:
    it = await office(0, 10)
    await it.notify(notification("a"))
    await it.reply()
    await it.pass_time(1)
    await it.answer(TAKEN)
    it.now += round(14 * DAY * 1000)
    await it.notify(notification("b"))
    await it.answer(TAKEN)
    await it.settle()
    for _ in range(2):
        await it.reply(SILENT)
        await it.pass_time(10 * ALMOST)
    await it.notify(notification("c"))
    assert (it.notified, it.rows(OUTBOX)) == ([], ["c"])


async def test_what_is_known_of_receivers_that_nobody_notifies_any_more_is_forgotten() -> None:
    it = await office(0)
    for number in range(100):
        url = f"http://{number}.test/"
        await it.notify(notification(url, url))
        await it.reply()
        await it.pass_time(1)
        await it.answer(TAKEN if number % 2 else REFUSED)
        it.now += round(DAY * 1000)
    assert len(it.known(PROOF)) <= 30
    assert len(it.known(FAILING)) <= 30
    before = len(it.known(PROOF)) + len(it.known(FAILING))
    await it.crash()
    assert it.agent.sizes()["proofs"] + it.agent.sizes()["failing_receivers"] == before


async def test_receivers_that_a_budget_puts_off_longer_than_the_schedule_get_their_turns() -> None:
    it = await office(0, 10)
    urls = [f"http://host.test/{number}" for number in reversed(range(8))]
    for url in urls:
        await it.notify(notification(url, url))
        it.now += 1
    for asked in (3, 6, 8):
        assert [client for _, client in it.asked] == urls[:asked], "who has waited longest is next"
        while it.asking:
            await it.reply()
        await it.pass_time(WINDOW_MS / 1000)
    assert it.of(DeliveryFailed) == []


async def test_a_receiver_that_a_budget_puts_off_for_four_weeks_is_given_up() -> None:
    it = await office(0, 10)
    urls = [f"http://host.test/{number}" for number in range(4)]
    await it.notify(*(notification(url, url) for url in urls))
    assert it.of(DeliveryFailed) == []
    rows, key = it.kept.rows[RECEIVERS], Recipient("m", urls[3]).key(PROOF)
    since, put_off = it.now - MOST_PUT_OFF_MS, MOST_PUT_OFF_MS
    rows[key] = wire.encode(
        replace(wire.decode(rows[key], Proof), since=since, put_off=put_off, due=it.now)
    )
    await it.crash()
    await it.pass_time(0)
    (failed,) = it.of(DeliveryFailed)
    assert (failed.client_url, it.rows(OUTBOX)) == (urls[3], urls[:3])
    assert failed.reason.endswith("its host is asked at most 3 times an hour")


async def test_a_challenge_that_was_under_way_in_a_crash_counts_and_is_not_repeated() -> None:
    it = await office()
    await it.notify(notification("a"))
    await it.crash()
    await it.settle()
    assert it.asking == []
    await it.pass_time(60)
    assert len(it.asking) == 1
    await it.reply(SILENT)
    await it.pass_time(5 * ALMOST)
    await it.reply(SILENT)
    await it.pass_time(300 * ALMOST)
    assert len(it.asked) == PER_HOST, "a fourth would be too many, whichever worker asked"


async def _asked_after_a_minute(it: Office) -> None:
    """Check that a fault of ours has not counted as a challenge."""
    assert it.asking == []
    await it.pass_time(60)
    assert [asked.client for asked in it.asking] == [CLIENT]
    await it.reply()
    await it.pass_time(1)
    assert (it.notified, it.of(DeliveryFailed)) == (["a"], [])


async def test_a_challenge_that_ended_with_its_worker_is_no_failure_of_the_receiver() -> None:
    it = await office(0, 1800)
    await it.notify(notification("a"))
    await it.crash()
    await it.settle()
    await _asked_after_a_minute(it)


async def test_a_challenge_that_we_make_too_late_is_no_failure_of_the_receiver() -> None:
    it = await office(0, 1800)
    it.produce(notification("a"))
    await it.read(NOTIFICATIONS)
    await it.read(CHALLENGES)
    it.now += GRANT_MS + 1
    await it.settle()
    await _asked_after_a_minute(it)


async def test_a_look_up_that_no_name_server_answers_is_no_failure_of_the_receiver() -> None:
    it = await office(0, 1800)
    it.has_name_server = False
    await it.notify(notification("a"))
    it.has_name_server = True
    await _asked_after_a_minute(it)


async def test_what_waits_for_a_silent_name_server_is_counted_and_logged() -> None:
    it = await office(0, 1800)
    it.has_name_server = False
    with capture_logs() as logs:
        await it.notify(notification("a"), notification("b", "http://other.test/"))
        await it.pass_time(120)
    assert it.agent.sizes()["unconfirmed_receivers"] == 2
    said = [line for line in logs if line["event"] == "a challenge is put off"]
    assert {line["client"] for line in said} == {CLIENT, "http://other.test/"}
    assert {line["once_a_minute"] for line in said} == {"host name look-up failed"}
    it.has_name_server = True
    await it.pass_time(60)
    await it.reply()
    await it.reply()
    assert it.agent.sizes()["unconfirmed_receivers"] == 0


async def test_a_challenge_is_commanded_again_if_its_result_is_lost() -> None:
    it = await office()
    await it.notify(notification("a"))
    it.asking.clear()
    await it.pass_time(301)
    assert len(it.asking) == 1


async def test_a_receiver_must_answer_a_challenge_for_each_manager_that_names_it() -> None:
    it = await office()
    await it.notify(*(notification(f"{manager}1", manager=manager) for manager in "ab"))
    await it.reply()
    await it.reply(SILENT)
    await it.pass_time(1)
    assert it.notified == ["a1"]
    await it.answer(TAKEN)
    await it.crash()
    await it.notify(*(notification(f"{manager}2", manager=manager) for manager in "ab"))
    assert it.notified == ["a2"]


async def test_a_receiver_that_is_gone_must_answer_again_and_is_challenged_once() -> None:
    it = await office()
    await it.notify(notification("0"))
    await it.reply()
    await it.pass_time(1)
    for day in range(1, 6):
        await it.answer(REFUSED)
        it.now += 24 * 3600 * 1000
        await it.notify(notification(str(day), url=f"{PAGE}{day}"))
    await it.answer(REFUSED)
    assert (len(it.of(ClientGone)), it.known(PROOF)) == (1, [])
    await it.notify(notification("b"))
    await it.reply("answered 500")
    assert it.rows(OUTBOX) == []
    assert it.of(Expire)[-1].subscription == "of b"
    await it.notify(notification("c"))
    await it.reply()
    await it.pass_time(1)
    assert it.notified == ["c"], "it is back"


async def test_what_waited_when_challenges_were_switched_on_waits_for_one() -> None:
    it = await Office().begin()
    await it.notify(notification("a"))
    await it.answer(REFUSED)
    it.asks = True
    await it.crash()
    await it.pass_time(60)
    assert (it.notified, len(it.asking)) == ([], 1)
    await it.reply()
    await it.pass_time(1)
    assert it.notified == ["a"]


async def test_when_challenges_are_switched_off_what_waited_for_one_is_sent() -> None:
    it = await office()
    await it.notify(notification("a"))
    it.asks = False
    await it.crash()
    await it.pass_time(1)
    assert it.notified == ["a"]


HOOKS = tuple(f"http://{host}.test/{path}" for host in "ab" for path in range(3))
steps = st.one_of(
    st.tuples(st.just("notify"), st.sampled_from(HOOKS)),
    st.tuples(st.just("reply"), st.sampled_from(("", SILENT))),
    st.tuples(st.just("wait"), st.sampled_from((1.0, 10.0, 400.0, 2 * HOUR, 40 * HOUR))),
    st.tuples(st.just("crash"), st.integers(0, 3)),
    st.tuples(
        st.just("answer"), st.sampled_from((TAKEN, REFUSED, WebhookResponse(410, "answered 410")))
    ),
)


@given(st.lists(steps, max_size=40))
@examples(200)
def test_whatever_happens_no_host_is_challenged_too_often_and_each_notification_has_its_end(
    course: list[tuple[str, object]],
) -> None:
    asyncio.run(_live(course))


async def _live(course: list[tuple[str, object]]) -> None:
    life = Course(await office())
    for step, value in course:
        await getattr(life, step)(value)
        await life.office.settle()
        assert {pending.client for pending in life.office.pending} <= life.willing
    await life.finish()
    assert set(life.office.rows(DELIVERED)) == {f"n{number + 1}" for number in range(life.notified)}
    per_host = defaultdict(list)
    for at, client in life.office.asked:
        per_host[hostname(client)].append(at)
    for times in per_host.values():
        for first, fourth in zip(times, times[PER_HOST:], strict=False):
            assert fourth - first >= HOUR * 1000


@dataclass
class Course:
    """A worker's life, and which receivers have answered their challenges."""

    office: Office
    notified: int = 0
    willing: set[str] = field(default_factory=set)

    async def notify(self, client: str) -> None:
        self.notified += 1
        await self.office.notify(notification(f"n{self.notified}", client))

    async def reply(self, reason: str) -> None:
        if self.office.asking:
            self.willing |= set() if reason else {self.office.asking[0].client}
            await self.office.reply(reason)

    async def wait(self, seconds: float) -> None:
        await self.office.pass_time(seconds)

    async def crash(self, cut: int) -> None:
        """Die, perhaps in the middle of making an outcome durable."""
        if self.office.asking and cut:
            self.office.cut = cut - 1
            await self.reply("")
        await self.office.crash()

    async def answer(self, answer: WebhookResponse) -> None:
        if self.office.pending:
            await self.office.answer(answer)

    async def finish(self) -> None:
        """Let all receivers answer, and time pass until nothing is left to do."""
        it = self.office
        it.cut = None
        for _ in range(1000):
            while it.asking:
                await it.reply()
            while it.pending:
                await it.answer(TAKEN)
            await it.settle()
            if not it.asking and not it.pending and not it.rows(OUTBOX):
                return
            await it.pass_time(HOUR)
        raise AssertionError(f"still waiting: {it.rows(OUTBOX)}")
