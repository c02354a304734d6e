"""Decisions of the register, one request after another on the registrations of one URL."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records import requests as commands
from schemas.records.codes import Code
from schemas.records.notifications import Notification
from schemas.records.requests import (
    Cancel,
    Check,
    ClientRequest,
    Pause,
    Rename,
    Resume,
    Rotate,
    Subscribe,
)
from schemas.records.subscription_facts import (
    Cancelled,
    Expired,
    Rejected,
    Subscribed,
    SubscriptionFact,
)
from schemas.records.subscriptions import EarlierView, PausedTime, Receiver
from schemas.records.views import Selector, ViewOptions
from schemas.records.watches import Watch
from streams.agents.match.register import watch_uses
from streams.agents.match.register.cases import MAX_ANSWERS, Origin, RequestCase
from streams.agents.match.register.counts import MAX_NAMED, manager_hash
from streams.agents.match.register.decisions import Decision, decide, expire
from streams.agents.match.register.granting import MAX_EARLIER_VIEWS
from streams.agents.match.register.registrations import Registrations, active
from streams.agents.match.register.requests import Target
from streams.agents.match.register.watch_uses import MAX_OWN
from streams.values.ids import content_id
from streams.values.slots import next_slot
from tests.fakes.variants import varied
from tests.fakes.views import views

URL = "http://document.test/"


def subscribe(client: str = "a", request_id: str = "1", **options: object) -> Subscribe:
    plain = Subscribe(URL, Receiver(client), request_id, keywords=("word",))
    return varied(plain, **({"interval": 60} | options))


def cancel(client: str = "a", request_id: str = "2", manager: str = "default") -> Cancel:
    return Cancel(URL, Receiver(client), request_id, manager)


def rotate(client: str = "a", request_id: str = "3") -> Rotate:
    return Rotate(URL, Receiver(client), request_id)


def pause(client: str = "a", request_id: str = "p", manager: str = "default") -> Pause:
    return Pause(URL, Receiver(client), request_id, manager)


def resume(client: str = "a", request_id: str = "r") -> Resume:
    return Resume(URL, Receiver(client), request_id=request_id)


def trial(client: str = "a", request_id: str = "t") -> commands.Test:
    return commands.Test(URL, Receiver(client), request_id=request_id)


class Register:
    """The registrations of one URL and a log that grows with each request."""

    def __init__(self) -> None:
        self.rows = Registrations()
        self.offset = -1

    def case(self, request: ClientRequest, origin: Origin) -> RequestCase:
        target = Target(request.manager, URL, request.receiver, request.name)
        words = request.keywords if isinstance(request, Subscribe) else ()
        return RequestCase(request, target, origin, words, self.rows, self.key_of)

    def key_of(self, subscription: str) -> bytes | None:
        found = ((key, row.subscription) for key, row in self.rows.items())
        return next((key for key, there in found if there and there.id == subscription), None)

    def handle(self, request: ClientRequest, origin: Origin) -> Decision:
        decision = decide(self.case(request, origin))
        for row in (decision.put, decision.left):
            if row is not None:
                self.rows.put(*row)
        return decision

    def next(self, request: ClientRequest) -> Decision:
        self.offset += 1
        return self.handle(request, Origin(0, self.offset, 1000 + self.offset))

    def ask(self, request: ClientRequest) -> SubscriptionFact:
        decision = self.next(request)
        assert decision.fact is not None
        return decision.fact

    def tried(self, client: str = "a", request_id: str = "t") -> Notification:
        notified = self.next(trial(client, request_id)).notification
        assert notified is not None
        return notified

    def begin(self, request: ClientRequest) -> Subscribed:
        fact = self.ask(request)
        assert isinstance(fact, Subscribed)
        return fact

    def expire(self, client: str, at: int, name: str = "") -> Expired:
        key = Target("default", URL, Receiver(client), name).key
        fact, after = expire(self.rows, key, "gone", at)
        self.rows.put(key, after)
        return fact


def watch(name: str, interval: int, *types: str | None, paused: bool = False) -> Watch:
    """Return a watch of the default manager's, with the views of these content types."""
    managers = () if paused else (manager_hash("default"),)
    return Watch(name, interval, views(*types or (None,)), paused, managers)


def code(fact: SubscriptionFact) -> int:
    return fact.code if isinstance(fact, Rejected) else 0


def test_a_first_subscribe_begins_a_subscription_and_a_watch() -> None:
    fact = Register().begin(subscribe(interval=90, snippet_offset=7, ignore_case=True))
    subscription = fact.subscription
    assert fact.request_id == "1"
    assert fact.watch == watch(subscription.id, 90, None)
    assert subscription.watch == subscription.id
    assert subscription.url == fact.url == URL
    assert subscription.receiver == Receiver("a")
    assert subscription.keywords == ("word",)
    assert (subscription.options.snippet_offset, subscription.options.ignore_case) == (7, True)
    assert subscription.created == fact.at == 1000


def test_a_second_subscribe_of_the_same_client_is_a_conflict() -> None:
    register = Register()
    first = register.begin(subscribe())
    second = register.ask(subscribe(request_id="2"))
    assert (code(second), second.watch) == (5, first.watch)


def test_a_session_that_asks_again_for_what_it_has_gets_it() -> None:
    register = Register()
    asked = replace(subscribe(interval=90), receiver=Receiver(session="desk"))
    first = register.begin(asked)
    again = register.ask(replace(asked, request_id="2"))
    assert isinstance(again, Subscribed)
    assert (again.subscription, again.watch) == (first.subscription, first.watch)


def test_a_session_that_asks_for_something_else_than_it_has_is_a_conflict() -> None:
    register = Register()
    asked = replace(subscribe(interval=90), receiver=Receiver(session="desk"))
    register.begin(asked)
    others = (
        replace(asked, request_id="2", keywords=("other",)),
        replace(asked, request_id="3", options=replace(asked.options, interval=91)),
    )
    assert [code(register.ask(other)) for other in others] == [5, 5]


def test_two_clients_managers_and_sessions_may_watch_one_document() -> None:
    register = Register()
    requests = (
        subscribe("a"),
        subscribe("b"),
        subscribe("a", manager="other"),
        replace(subscribe("a"), receiver=Receiver(session="a")),
    )
    facts = [register.begin(request) for request in requests]
    assert len({fact.subscription.id for fact in facts}) == 4
    assert {fact.subscription.watch for fact in facts} == {facts[0].subscription.id}


def test_a_cancel_ends_the_subscription_and_the_last_one_the_watch() -> None:
    register = Register()
    first, second = register.begin(subscribe("a")), register.begin(subscribe("b"))
    ended = register.ask(cancel("a"))
    assert isinstance(ended, Cancelled)
    assert (ended.subscription, ended.watch) == (first.subscription.id, second.watch)
    last = register.ask(cancel("b"))
    assert isinstance(last, Cancelled)
    assert (last.subscription, last.watch) == (second.subscription.id, None)


def test_a_cancel_of_what_is_not_there_is_code_7() -> None:
    register = Register()
    assert code(register.ask(cancel())) == 7
    register.ask(subscribe())
    register.ask(cancel(request_id="3"))
    assert code(register.ask(cancel(request_id="4"))) == 7
    assert active(register.rows.values()) == []


def test_a_new_subscription_after_a_cancel_has_a_new_id_and_begins_a_new_watch() -> None:
    register = Register()
    first = register.begin(subscribe())
    register.ask(cancel())
    second = register.begin(subscribe(request_id="3"))
    assert second.subscription.id != first.subscription.id
    assert second.watch == watch(second.subscription.id, 60, None)


def test_replace_changes_the_options_and_keeps_id_watch_and_created() -> None:
    register = Register()
    first = register.begin(subscribe("a"))
    second = register.begin(subscribe("b", interval=120))
    request = subscribe("b", "3", interval=30, replace=True, ignore_case=True)
    after = register.begin(request).subscription
    kept = ("id", "watch", "created")
    assert [getattr(after, name) for name in kept] == [
        getattr(second.subscription, name) for name in kept
    ]
    assert (after.options.interval, after.options.ignore_case) == (30, True)
    assert len(active(register.rows.values())) == 2
    assert register.rows.watch() == watch(first.subscription.id, 30, None)


def test_a_subscription_remembers_the_last_views_that_it_had_and_until_when() -> None:
    register = Register()
    view, asked = "", register.begin(subscribe("a")).subscription
    remembered = []
    for number in range(2 * MAX_EARLIER_VIEWS):
        kind, same = f"text/{number}", {"replace": True, "content_type": f"text/{number}"}
        after = register.begin(subscribe("a", f"r{number}", **same)).subscription
        again = register.begin(subscribe("a", f"i{number}", **same, interval=90)).subscription
        remembered.append(EarlierView(view, 1001 + 2 * number))
        assert after.view_id not in {view, asked.view_id}, kind
        assert again.earlier_views == after.earlier_views
        assert after.earlier_views == tuple(remembered[-MAX_EARLIER_VIEWS:])
        view = after.view_id


def test_replace_of_what_is_not_there_subscribes() -> None:
    assert code(Register().ask(subscribe(replace=True))) == 0


def test_the_longest_interval_of_a_watch_is_the_least_that_anybody_allows() -> None:
    register = Register()
    begun = register.begin(subscribe("a", interval=100, max_interval=5_000)).subscription.id
    there = watch(begun, 60, None)
    joined = register.ask(subscribe("b", interval=60, max_interval=900)).watch
    assert joined == replace(there, max_interval=900)
    joined = register.ask(subscribe("c", interval=300)).watch
    assert joined == replace(there, max_interval=300)
    joined = register.ask(subscribe("d", interval=60)).watch
    assert joined == there


def test_the_watch_has_the_smallest_interval() -> None:
    register = Register()
    begun = register.begin(subscribe("a", interval=100)).subscription.id
    assert register.ask(subscribe("b", interval=60)).watch == watch(begun, 60, None)
    assert register.ask(subscribe("c", interval=80)).watch == watch(begun, 60, None)
    assert register.ask(cancel("b")).watch == watch(begun, 80, None)


def test_the_watch_has_the_view_of_each_subscription_as_long_as_one_has_it() -> None:
    register = Register()
    begun = register.begin(subscribe("a")).subscription.id
    for client in ("z", "b", "c"):
        register.ask(subscribe(client, content_type=f"text/{client[0].replace('c', 'b')}"))
    assert register.rows.watch() == watch(begun, 60, None, "text/z", "text/b")
    register.ask(subscribe("z", "3", content_type="text/new", replace=True))
    assert register.rows.watch() == watch(begun, 60, None, "text/new", "text/b")
    assert register.ask(cancel("b", "4")).watch == watch(begun, 60, None, "text/new", "text/b")
    assert register.ask(cancel("c", "5")).watch == watch(begun, 60, None, "text/new")
    assert register.ask(cancel("a", "6")).watch == watch(begun, 60, "text/new")


def test_a_subscription_names_the_view_that_its_options_describe() -> None:
    register = Register()
    plain = register.begin(subscribe("a")).subscription
    odd = register.begin(subscribe("b", content_type=" Text/Z")).subscription
    even = register.begin(subscribe("c", content_type="text/z")).subscription
    assert plain.view_id == ""
    assert odd.view_id == even.view_id != ""
    assert odd.options.content_type == " Text/Z", "as its client wrote it"


def test_the_statuses_that_are_content_are_part_of_the_view_in_any_order() -> None:
    register = Register()
    first = register.begin(subscribe("a", on_status=(410, 404, 404))).subscription
    second = register.begin(subscribe("b", on_status=(404, 410))).subscription
    assert first.view_id == second.view_id != ""
    assert first.view_id != register.begin(subscribe("c", on_status=(404,))).subscription.view_id


def test_the_watch_says_of_a_view_which_failures_its_subscriptions_allow() -> None:
    register = Register()

    def view() -> tuple[int | None, bool, tuple[int, ...]]:
        found = register.rows.watch()
        assert found is not None
        (used,) = found.views
        return used.max_failures, used.by_default, used.notices

    register.begin(subscribe("a"))
    assert view() == (None, True, ())
    register.begin(subscribe("b", max_failures=5, notify_failures=True))
    register.begin(subscribe("c", max_failures=2, notify_failures=True, failing_after=3))
    register.begin(subscribe("d", notify_failures=True, failing_after=3))
    assert view() == (2, True, (1, 3))
    register.ask(cancel("d", "3"))
    register.ask(cancel("a", "4"))
    register.ask(cancel("c", "5"))
    assert view() == (5, False, (1,))
    register.ask(subscribe("b", "6", max_failures=0, replace=True))
    assert view() == (None, False, ())


def test_the_watch_says_of_a_view_whether_a_subscription_looks_into_the_whole_document() -> None:
    register = Register()

    def documents() -> list[bool]:
        found = register.rows.watch()
        assert found is not None
        return [view.documents for view in found.views]

    register.begin(subscribe("a", scope="block"))
    assert documents() == [False]
    register.begin(subscribe("b", scope="document"))
    register.begin(subscribe("c", scope="document", content_type="text/plain"))
    register.begin(subscribe("d", content_type="text/csv"))
    assert sorted(documents()) == [False, True, True]
    register.ask(subscribe("b", "5", scope="change", replace=True))
    assert sorted(documents()) == [False, False, True]
    register.ask(cancel("c", "6"))
    assert documents() == [False, False]


def test_the_views_of_a_url_have_so_many_bytes_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch_uses, "MAX_SIZE", 500)
    register, long = Register(), "x" * 300
    register.begin(subscribe("a", view=ViewOptions(select=(Selector(css=long),))))
    other = ViewOptions(select=(Selector(css=f"{long}y"),))
    assert code(register.ask(subscribe("b", view=other))) == Code.QUOTA
    assert code(register.ask(subscribe("b", "2"))) == Code.OK, "the default one has no size"
    register.ask(cancel("a"))
    assert code(register.ask(subscribe("c", view=other))) == Code.OK


def test_a_manager_has_so_many_views_of_a_url_and_takes_none_from_another() -> None:
    register = Register()
    for number in range(MAX_OWN):
        register.begin(subscribe(f"c{number}", content_type=f"text/{number}"))
    refused = register.ask(subscribe("d", content_type="text/more"))
    assert isinstance(refused, Rejected)
    assert (refused.code, "documentContentType" in refused.detail) == (Code.QUOTA, True)
    assert code(register.ask(subscribe("d", "2"))) == Code.QUOTA, "the default is one of them"
    assert code(register.ask(subscribe("d", "3", content_type="text/1"))) == Code.OK
    assert code(register.ask(subscribe("o", content_type="text/more", manager="other"))) == Code.OK
    changed = subscribe("c0", "4", content_type="text/more", replace=True)
    assert code(register.ask(changed)) == Code.OK, "it frees the one that it had"
    again = subscribe("c1", "5", content_type="text/again", replace=True)
    assert code(register.ask(again)) == Code.QUOTA, "another subscription keeps that one"


def test_a_url_has_so_many_views_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.agents.match.register.watch_uses.MAX_IN_ALL", 2)
    register = Register()
    for manager in ("m1", "m2"):
        register.begin(subscribe("a", content_type=f"text/{manager}", manager=manager))
    third = subscribe("a", content_type="text/m3", manager="m3")
    assert code(register.ask(third)) == Code.QUOTA
    assert code(register.ask(subscribe("a", "2", content_type="text/m1", manager="m3"))) == Code.OK


def test_the_watch_stays_when_the_subscription_that_began_it_ends() -> None:
    register = Register()
    begun = register.begin(subscribe("a")).subscription.id
    register.begin(subscribe("b"))
    register.ask(cancel("a"))
    again = register.begin(subscribe("a", "3"))
    assert again.watch == watch(begun, 60, None)
    assert again.subscription.watch == begun


def test_a_replayed_message_gives_no_fact_and_changes_nothing() -> None:
    register = Register()
    requests: list[Subscribe | Cancel] = [
        subscribe("a"),
        cancel("a"),
        subscribe("a", "3"),
        subscribe("a", "4"),
        cancel("b"),
    ]
    for request in requests:
        register.ask(request)
    rows = dict(register.rows)
    for offset, request in enumerate(requests):
        assert register.handle(request, Origin(0, offset, 1000 + offset)) == Decision(None)
    assert register.rows == rows


def test_offsets_of_another_partition_are_no_replay() -> None:
    register = Register()
    register.handle(subscribe("a"), Origin(0, 7, 1000))
    decision = register.handle(cancel("a"), Origin(1, 3, 1001))
    assert isinstance(decision.fact, Cancelled)
    assert register.handle(subscribe("a"), Origin(0, 7, 1000)) == Decision(None)
    assert register.handle(cancel("a"), Origin(1, 3, 1001)) == Decision(None)


def test_a_repeated_request_gets_the_same_answer_whatever_happened_since() -> None:
    register = Register()
    first = register.begin(subscribe())
    conflict = register.ask(subscribe(request_id="2"))
    assert register.begin(subscribe()).subscription == first.subscription
    register.ask(cancel(request_id="3"))
    assert code(register.ask(subscribe(request_id="2"))) == code(conflict) == 5
    repeated = register.begin(subscribe())
    assert repeated.subscription.id == first.subscription.id
    assert repeated.watch is None
    assert code(register.ask(cancel(request_id="3"))) == 0
    assert active(register.rows.values()) == []


def test_a_repeated_subscribe_is_told_its_own_subscription_and_not_a_later_one() -> None:
    register = Register()
    first = register.begin(subscribe())
    register.ask(cancel())
    later = register.begin(subscribe(request_id="3"))
    repeated = register.begin(subscribe())
    assert repeated.subscription.id == first.subscription.id
    assert repeated.watch == later.watch
    assert active(register.rows.values()) == [later.subscription]


def test_a_repeated_cancel_does_not_end_a_later_subscription() -> None:
    register = Register()
    register.ask(subscribe())
    ended = register.ask(cancel())
    later = register.begin(subscribe(request_id="3"))
    repeated = register.ask(cancel())
    assert isinstance(ended, Cancelled)
    assert isinstance(repeated, Cancelled)
    assert repeated.subscription == ended.subscription
    assert repeated.watch == later.watch
    assert active(register.rows.values()) == [later.subscription]


def test_a_cancel_with_the_request_id_of_the_subscribe_is_a_request_of_its_own() -> None:
    register = Register()
    register.ask(subscribe(request_id="same"))
    ended = register.ask(cancel(request_id="same"))
    assert isinstance(ended, Cancelled)
    assert ended.watch is None
    assert active(register.rows.values()) == []
    assert code(register.ask(subscribe(request_id="same"))) == 0
    assert active(register.rows.values()) == []


def test_only_the_last_answers_are_kept() -> None:
    register = Register()
    register.ask(subscribe())
    for number in range(100):
        register.ask(subscribe(request_id=f"r{number}"))
        register.ask(subscribe(request_id=f"r{number}"))
    (row,) = register.rows.values()
    assert len(row.answers) == MAX_ANSWERS
    assert row.answers[-1].request_id == "r99"
    assert len(row.applied) == 1


def test_an_expired_subscription_ends_with_its_reason_and_leaves_the_others() -> None:
    register = Register()
    first, second = register.begin(subscribe("a")), register.begin(subscribe("b"))
    fact = register.expire("a", 2000)
    assert fact == Expired(first.subscription.id, "default", "gone", URL, second.watch, 2000)
    assert register.expire("b", 2001).watch is None
    assert code(register.ask(cancel("a", "3"))) == 7


def test_an_expired_subscription_keeps_what_was_applied_and_answered() -> None:
    register = Register()
    first = register.begin(subscribe())
    register.expire("a", 2000)
    assert register.handle(subscribe(), Origin(0, 0, 1000)) == Decision(None)
    assert register.begin(subscribe()).subscription.id == first.subscription.id
    assert active(register.rows.values()) == []


def test_a_subscribe_repeated_after_its_lease_has_ended_subscribes_again() -> None:
    register = Register()
    first = register.begin(subscribe(lease=60))
    assert register.begin(subscribe(lease=60)).subscription == first.subscription
    register.expire("a", 2000)
    again = register.begin(subscribe(lease=60))
    assert again.watch is not None
    assert again.subscription.id != first.subscription.id
    assert active(register.rows.values()) == [again.subscription]
    assert register.begin(subscribe(lease=60)).subscription == again.subscription
    register.expire("a", 3000)
    third = register.begin(subscribe(lease=60))
    assert third.subscription.id not in (first.subscription.id, again.subscription.id)


def test_a_subscribe_with_a_lease_repeated_during_a_later_subscription_is_decided_again() -> None:
    register = Register()
    register.begin(subscribe(lease=60))
    register.expire("a", 2000)
    later = register.begin(subscribe(request_id="later"))
    assert code(register.ask(subscribe(lease=60))) == Code.CONFLICT
    assert active(register.rows.values()) == [later.subscription]


def test_a_subscribe_with_a_lease_repeated_after_its_cancel_subscribes_nobody() -> None:
    register = Register()
    first = register.begin(subscribe(lease=60))
    register.ask(cancel())
    assert register.begin(subscribe(lease=60)).subscription.id == first.subscription.id
    assert active(register.rows.values()) == []


def test_the_times_of_the_facts_of_a_url_never_go_back() -> None:
    register = Register()
    register.handle(subscribe("a"), Origin(0, 0, 5000))
    late = register.handle(subscribe("b"), Origin(0, 1, 3000)).fact
    assert isinstance(late, Subscribed)
    assert late.at == late.subscription.created == 5000
    assert register.expire("a", 4000).at == 5000


def test_row_keys_tell_clients_sessions_and_managers_apart() -> None:
    targets = [
        Target("m", URL, Receiver("x")),
        Target("m", URL, Receiver(session="x")),
        Target("x", URL, Receiver("m")),
        Target("m", URL + "x", Receiver("x")),
    ]
    assert len({target.key for target in targets}) == len(targets)
    assert all(target.key.startswith(target.url.encode() + b"\0") for target in targets)


def test_a_watch_names_a_few_of_the_managers_of_subscriptions_that_are_not_paused() -> None:
    register = Register()
    for number in range(6):
        register.begin(subscribe("a", str(number), manager=f"m{number}"))
    hashes = sorted(manager_hash(f"m{number}") for number in range(6))
    assert few_managers(register) == tuple(hashes[:MAX_NAMED])
    for number in range(5):
        register.ask(pause("a", f"p{number}", manager=f"m{number}"))
    register.begin(subscribe("b", "again", manager="m5"))
    register.ask(cancel("b", "end", manager="m5"))
    assert few_managers(register) == (manager_hash("m5"),)


def few_managers(register: "Register") -> tuple[str, ...]:
    watch = register.rows.watch()
    assert watch is not None
    return watch.managers


def watched(rows: Registrations) -> Watch | None:
    """Compute the watch of a URL from all that is registered for it."""
    there = active(rows.values())
    if not there:
        return None
    notified = [each for each in there if not each.paused]
    interval = min(each.options.interval for each in notified or there)
    managers = {manager_hash(each.manager) for each in notified}
    named_few = tuple(sorted(managers)[:MAX_NAMED])
    types = views(*(each.options.content_type for each in there))
    return Watch(there[0].watch, interval, types, not notified, named_few)


SIMPLE: dict[str, Callable[[str, str], ClientRequest]] = {
    "cancel": cancel,
    "stop": lambda client, request_id: Cancel(URL, Receiver(client), request_id, undo=True),
    "pause": pause,
    "resume": resume,
}
requests = st.lists(
    st.tuples(
        st.sampled_from(["subscribe", "replace", "expire", "rename", *SIMPLE]),
        st.sampled_from("abcd"),
        st.sampled_from(["", "in stock"]),
        st.sampled_from([60, 90, 120]),
        st.sampled_from([None, "text/a", "text/b"]),
    ),
    max_size=60,
)


@given(requests)
def test_every_answer_has_the_watch_that_a_look_at_all_registrations_gives(
    asked: list[tuple[str, str, str, int, str | None]],
) -> None:
    register = Register()
    for number, (what, client, name, interval, content_type) in enumerate(asked):
        fact: SubscriptionFact | None = None
        if what == "expire":
            row = register.rows.get(Target("default", URL, Receiver(client), name).key)
            if row is not None and row.subscription is not None:
                fact = register.expire(client, number, name)
        elif what in SIMPLE:
            fact = register.ask(replace(SIMPLE[what](client, str(number)), name=name))
        elif what == "rename":
            new = "" if name else "in stock"
            fact = register.ask(rename(name, new, client, str(number)))
        else:
            options = {"interval": interval, "content_type": content_type, "name": name}
            again = what == "replace"
            fact = register.ask(subscribe(client, str(number), replace=again, **options))
        there = active(register.rows.values())
        assert len({each.id for each in there}) == len(there), "an id is that of one subscription"
        assert register.rows.watch() == watched(register.rows)
        assert register.rows.latest == max([row.at for row in register.rows.values()], default=0)
        if fact is not None:
            assert fact.watch == watched(register.rows)


def test_a_rotation_changes_the_secrets_number_and_time_and_nothing_else() -> None:
    register = Register()
    first = register.begin(subscribe())
    second = register.ask(rotate())
    assert isinstance(second, Subscribed)
    assert (first.subscription.rotation, first.subscription.rotated) == (0, 0)
    assert second.subscription == replace(first.subscription, rotation=1, rotated=second.at)
    assert (second.request_id, second.watch) == ("3", first.watch)
    assert active(register.rows.values()) == [second.subscription]


def test_a_repeated_rotation_is_made_once_and_answered_the_same() -> None:
    register = Register()
    register.begin(subscribe())
    first, second = register.ask(rotate()), register.ask(rotate())
    assert isinstance(first, Subscribed)
    assert isinstance(second, Subscribed)
    assert first.subscription == second.subscription
    assert second.subscription.rotation == 1
    third = register.ask(rotate(request_id="4"))
    assert isinstance(third, Subscribed)
    assert third.subscription.rotation == 2


def test_a_rotation_of_what_is_not_there_or_has_ended_is_refused() -> None:
    register = Register()
    assert code(register.ask(rotate())) == 7
    register.begin(subscribe())
    register.ask(rotate(request_id="4"))
    register.ask(cancel())
    assert code(register.ask(rotate(request_id="4"))) == 7, "repeated after the end"
    assert active(register.rows.values()) == []


def test_a_replaced_subscription_keeps_its_secret_and_a_new_one_has_another() -> None:
    register = Register()
    first = register.begin(subscribe())
    register.ask(rotate())
    replaced = register.begin(subscribe(request_id="5", replace=True))
    assert (replaced.subscription.rotation, replaced.subscription.id) == (1, first.subscription.id)
    register.ask(cancel(request_id="6"))
    begun = register.begin(subscribe(request_id="7"))
    assert begun.subscription.id != first.subscription.id


def test_a_pause_and_a_resume_change_that_and_nothing_else() -> None:
    register = Register()
    first = register.begin(subscribe()).subscription
    paused = register.begin(pause())
    pauses = (PausedTime(paused.at),)
    assert paused.subscription == replace(first, paused=True, pauses=pauses)
    assert register.begin(pause(request_id="p2")).subscription == paused.subscription
    resumed = register.begin(resume())
    again = replace(first, pauses=(PausedTime(paused.at, resumed.at),))
    assert resumed.subscription == again
    assert active(register.rows.values()) == [again]


def test_a_paused_subscription_does_not_count_for_the_watch_unless_all_are() -> None:
    register = Register()
    begun = register.begin(subscribe("a", interval=60)).subscription.id
    register.begin(subscribe("b", interval=90, content_type="text/b"))
    assert register.ask(pause("a")).watch == watch(begun, 90, None, "text/b")
    assert register.ask(pause("b")).watch == watch(begun, 60, None, "text/b", paused=True)
    assert register.ask(resume("b")).watch == watch(begun, 90, None, "text/b")
    register.ask(pause("b", "p2"))
    assert register.ask(cancel("b")).watch == watch(begun, 60, None, paused=True)
    assert register.ask(cancel("a")).watch is None


def test_who_joins_a_paused_watch_wakes_it_and_not_the_others() -> None:
    register = Register()
    begun = register.begin(subscribe("a")).subscription
    register.ask(pause("a"))
    joined = register.begin(subscribe("b", interval=90))
    assert joined.watch == watch(begun.id, 90, None)
    assert [each.paused for each in active(register.rows.values())] == [True, False]


def test_a_replaced_subscription_stays_paused_and_a_new_one_is_not() -> None:
    register = Register()
    register.begin(subscribe())
    register.ask(pause())
    assert register.begin(subscribe(request_id="2", replace=True)).subscription.paused
    register.ask(cancel(request_id="3"))
    assert not register.begin(subscribe(request_id="4")).subscription.paused


def test_a_repeated_pause_does_not_undo_a_later_resume() -> None:
    register = Register()
    register.begin(subscribe())
    register.ask(pause())
    register.ask(resume())
    repeated = register.begin(pause())
    assert not repeated.subscription.paused
    assert not active(register.rows.values())[0].paused


def test_a_pause_repeated_after_its_subscription_has_ended_is_refused_and_pauses_no_other() -> None:
    register = Register()
    register.begin(subscribe())
    register.begin(pause())
    register.ask(cancel())
    assert code(register.ask(pause())) == 7
    register.begin(subscribe(request_id="4"))
    assert code(register.ask(pause())) == 7
    assert not active(register.rows.values())[0].paused


def test_a_test_gives_one_marked_notification_and_changes_nothing() -> None:
    register = Register()
    first = register.begin(subscribe()).subscription
    notified = register.tried()
    assert (notified.test, notified.status, notified.diffs, notified.truncated) == (
        True,
        "ok",
        (),
        False,
    )
    assert (notified.subscription, notified.receiver.client_url, notified.url) == (
        first.id,
        "a",
        URL,
    )
    assert notified.at == 1001
    assert active(register.rows.values()) == [first]
    assert register.tried(request_id="t2").id != notified.id


def test_a_paused_subscription_can_be_tested() -> None:
    register = Register()
    register.begin(subscribe())
    register.ask(pause())
    assert register.tried().test


def test_a_repeated_test_is_answered_again_and_told_once() -> None:
    register = Register()
    first = register.begin(subscribe()).subscription
    register.tried()
    again = register.next(trial())
    assert again.notification is None
    assert isinstance(again.fact, Subscribed)
    assert again.fact.subscription == first


def test_a_test_that_is_decided_again_after_a_crash_tells_the_same() -> None:
    register = Register()
    register.begin(subscribe())
    case = register.case(trial(), Origin(0, 7, 2000))
    assert decide(case) == decide(case)
    assert decide(case).notification is not None


@given(st.sampled_from([pause, resume, trial]), st.booleans())
def test_what_is_not_there_can_be_neither_paused_nor_resumed_nor_tested(
    request: Callable[..., ClientRequest], was_there: bool
) -> None:
    register = Register()
    if was_there:
        register.begin(subscribe())
        register.ask(request(request_id="before"))
        register.ask(cancel())
        assert code(register.ask(request(request_id="before"))) == 7, "repeated after the end"
    decision = register.next(request())
    assert decision.fact is not None
    assert (code(decision.fact), decision.notification) == (7, None)
    assert active(register.rows.values()) == []


def named(name: str, client: str = "a", request_id: str = "1", **options: object) -> Subscribe:
    return replace(subscribe(client, request_id, **options), name=name)


def rename(old: str, new: str, client: str = "a", request_id: str = "n") -> Rename:
    return Rename(URL, Receiver(client), request_id, name=old, new_name=new)


def test_a_receiver_has_several_subscriptions_of_a_document_by_their_names() -> None:
    register = Register()
    first = register.begin(subscribe())
    second = register.begin(named("in stock", request_id="2"))
    assert (first.subscription.name, second.subscription.name) == ("", "in stock")
    assert first.subscription.id != second.subscription.id
    refused = register.ask(named("in stock", request_id="3"))
    assert code(refused) == Code.CONFLICT
    ended = register.ask(replace(cancel(), name="in stock"))
    assert isinstance(ended, Cancelled)
    assert ended.subscription == second.subscription.id
    assert code(register.ask(pause())) == 0, "the one without a name is still there"
    assert code(register.ask(replace(pause(request_id="q"), name="in stock"))) == 7


def test_a_conflict_says_which_subscription_there_is() -> None:
    register = Register()
    there = register.begin(named("in stock")).subscription
    refused = register.ask(named("in stock", request_id="2"))
    assert isinstance(refused, Rejected)
    assert refused.subscription == there.id
    assert there.id in refused.detail
    assert "'in stock'" in refused.detail
    again = register.ask(named("in stock", request_id="2"))
    assert again == replace(refused, at=again.at), "repeated"


def test_ids_and_rows_of_subscriptions_without_a_name_are_those_of_earlier_releases() -> None:
    subscription = Register().begin(subscribe()).subscription
    assert subscription.id == content_id("default", URL, "a", None, "1")
    key = Target("default", URL, Receiver("a")).key
    assert key == f"{URL}\0{content_id('default', 'a', None)}".encode()


def test_replace_changes_the_subscription_of_its_name_alone() -> None:
    register = Register()
    plain = register.begin(subscribe()).subscription
    there = register.begin(named("in stock", request_id="2")).subscription
    asked = replace(named("in stock", request_id="3", interval=90), replace=True)
    after = register.begin(asked).subscription
    assert (after.id, after.options.interval) == (there.id, 90)
    assert register.rows[Target("default", URL, Receiver("a")).key].subscription == plain


def test_a_renamed_subscription_keeps_everything_but_its_name() -> None:
    register = Register()
    before = register.begin(subscribe(interval=90)).subscription
    fact = register.ask(rename("", "in stock"))
    assert isinstance(fact, Subscribed)
    assert fact.subscription == replace(before, name="in stock")
    assert fact.watch == watch(before.id, 90, None)
    assert code(register.ask(pause())) == 7, "nothing has the old name"
    assert code(register.ask(replace(pause(request_id="q"), name="in stock"))) == 0
    back = register.ask(rename("in stock", "", request_id="back"))
    assert isinstance(back, Subscribed)
    there = back.subscription
    assert there.paused
    assert replace(there, paused=False, pauses=()) == before


def test_a_name_that_is_taken_is_a_conflict_and_one_of_nothing_is_code_7() -> None:
    register = Register()
    register.begin(subscribe())
    there = register.begin(named("in stock", request_id="2")).subscription
    refused = register.ask(rename("", "in stock"))
    assert isinstance(refused, Rejected)
    assert (refused.code, refused.subscription) == (Code.CONFLICT, there.id)
    assert code(register.ask(rename("nobody", "x", request_id="o"))) == 7
    assert code(register.ask(rename("in stock", "in stock", request_id="p"))) == 0


def test_requests_that_are_repeated_after_a_rename_are_about_the_renamed() -> None:
    register = Register()
    begun = register.begin(subscribe()).subscription
    register.ask(rename("", "in stock"))
    renamed = replace(begun, name="in stock")
    for request in (subscribe(), rename("", "in stock")):
        again = register.ask(request)
        assert isinstance(again, Subscribed)
        assert again.subscription == renamed


def test_a_forgotten_request_that_is_repeated_after_a_rename_gets_another_id() -> None:
    register = Register()
    begun = register.begin(subscribe()).subscription
    register.ask(rename("", "in stock"))
    register.rows.drop(Target("default", URL, Receiver("a")).key)
    again = register.begin(subscribe()).subscription
    assert again.id != begun.id
    assert len({each.id for each in active(register.rows.values())}) == 2


def test_a_rename_that_is_decided_again_after_a_crash_gives_the_same() -> None:
    register = Register()
    register.begin(subscribe())
    origin = Origin(0, 1, 2000)
    first = decide(register.case(rename("", "in stock"), origin))
    assert first.put is not None
    register.rows.put(*first.put)  # and then the process ended
    second = register.handle(rename("", "in stock"), origin)
    assert (second.fact, second.left) == (first.fact, first.left)
    assert len(active(register.rows.values())) == 1
    assert register.handle(rename("", "in stock"), origin) == Decision(None)


class CheckedRegister(Register):
    """A register with requests at the times of the test, and a smallest interval of 60 s."""

    def check(self, at: int, client: str = "a", request_id: str = "") -> SubscriptionFact:
        self.offset += 1
        request = Check(URL, Receiver(client), request_id or f"check {self.offset}")
        case = self.case(request, Origin(0, self.offset, at))
        decision = decide(replace(case, min_interval=60))
        assert decision.fact is not None
        if decision.put is not None:
            self.rows.put(*decision.put)
        return decision.fact

    def time(self, at: int, client: str = "a", request_id: str = "") -> int:
        fact = self.check(at, client, request_id)
        assert isinstance(fact, Subscribed)
        return fact.check


HOUR, MINUTE = 3_600_000, 60_000
SLOT = next_slot(URL, 3600, HOUR)
"""A slot of a page that is visited every hour."""


def checked_register(interval: int = 3600) -> CheckedRegister:
    register = CheckedRegister()
    register.begin(subscribe(interval=interval))
    register.begin(subscribe("b", interval=interval))
    return register


def test_a_check_is_made_at_once_if_no_visit_is_near() -> None:
    assert checked_register().time(SLOT + 10 * MINUTE) == SLOT + 10 * MINUTE


def test_a_check_waits_for_the_smallest_interval_after_a_slot() -> None:
    assert checked_register().time(SLOT + 1000) == SLOT + MINUTE


def test_a_check_shortly_before_a_slot_is_made_at_the_slot() -> None:
    assert checked_register().time(SLOT - 1000) == SLOT


def test_a_second_check_waits_for_the_first_whoever_asks() -> None:
    register, first = checked_register(), SLOT + 10 * MINUTE
    assert register.time(first) == first
    assert register.time(first + 1, "b") == first + MINUTE
    assert register.time(first + 2) == first + MINUTE, "one visit is enough for both"


def test_a_repeated_check_gets_the_time_that_it_got() -> None:
    register, first = checked_register(), SLOT + 10 * MINUTE
    assert register.time(first, request_id="once") == first
    assert register.time(first + 5 * MINUTE, request_id="once") == first
    assert register.rows.check == first


def test_what_is_not_watched_or_paused_is_not_checked() -> None:
    register = checked_register()
    unknown = register.check(SLOT, "c")
    assert isinstance(unknown, Rejected)
    assert unknown.code == Code.NO_SUCH_SUBSCRIPTION
    register.ask(pause())
    paused = register.check(SLOT)
    assert isinstance(paused, Rejected)
    assert paused.code == Code.PAUSED
    assert register.rows.check == 0


@given(
    st.integers(60, 7200),
    st.lists(st.tuples(st.integers(1, 120_000), st.sampled_from("ab")), max_size=60),
)
def test_no_loop_of_checks_makes_visits_nearer_than_the_smallest_interval(
    interval: int, asked: list[tuple[int, str]]
) -> None:
    register, now, visits = checked_register(interval), HOUR, set[int]()
    for pause_ms, client in asked:
        now += pause_ms
        time = register.time(now, client)
        assert now <= time <= now + 2 * MINUTE, "a check is never far off"
        visits.add(time)
    end = now + 2 * MINUTE
    slot = next_slot(URL, interval, HOUR)
    visits |= set(range(slot, end, interval * 1000))
    ordered = sorted(visits)
    assert all(after - before >= MINUTE for before, after in pairwise(ordered))
