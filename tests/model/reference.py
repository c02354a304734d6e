"""What must be notified, and what may be: a model of the promise that knows no agent.

It sees five things: when requests are sent, what the register answers, which subscription stands
in its table, which text the store takes over for which, and what receivers get. A change must be
notified if it was seen after the answer that began or resumed a subscription, and before the
request was sent that paused or ended it, whenever it is matched; it may not be if it was seen
before the first was sent, or after the second was answered. What was replaced meanwhile may be.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from schemas.codec import wire
from schemas.records.documents import Document
from schemas.records.requests import Cancel
from schemas.records.subscription_facts import Cancelled, Subscribed
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Registration
from streams.agents.match.register.registrations import NOTIFIED
from streams.values.ids import content_id
from tests.harness.lives import Life, Turn
from tests.model.world import Post, Words, read_words

Diffs = frozenset[tuple[str, str]]
"""Event and keyword of each entry."""


@dataclass
class Epoch:
    """A subscription with the same wishes from the moment of its answer on.

    ``until`` a request changed them (``replaced``), or it was gone from the table. It was
    ``cancelled`` if its client ended it.
    """

    subscription: Subscription
    since: int
    life: Life
    until: int | None = None
    replaced: bool = False
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What the store took over at a moment: a change, or the last failure of a watch."""

    status: Literal["ok", "timeout"]
    id: str
    url: str
    watch: str
    at: int
    added: Words = frozenset()
    removed: Words = frozenset()

    def entries(self, subscription: Subscription) -> Diffs | None:
        """Return what a subscription is notified of; None for nothing."""
        if self.status == "timeout":
            return frozenset()
        sides = [("added", self.added)] if not subscription.options.ignore_added else []
        sides += [("removed", self.removed)] if not subscription.options.ignore_removed else []
        return frozenset(_diffs(sides, subscription.keywords)) or None


def _diffs(
    sides: Iterable[tuple[str, Words]], keywords: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for event, words in sides:
        for keyword in keywords:
            if keyword in words or (keyword == "*" and words):
                yield event, keyword


@dataclass
class Reference:
    """Everything since the last time when all was done."""

    max_failures: int
    sent: dict[str, int] = field(default_factory=dict)
    """The moment at which each request was sent first."""
    answers: dict[str, int] = field(default_factory=dict)
    """The moment at which each was answered first."""
    granted: dict[tuple[str, Subscription], int] = field(default_factory=dict)
    """The moment at which a request was first answered with a subscription."""
    lives: defaultdict[str, Life] = field(default_factory=lambda: defaultdict(Life))
    """By the id of the subscription."""
    tests: set[str] = field(default_factory=set)
    """Ids of the requests for a test."""
    current: dict[bytes, Epoch] = field(default_factory=dict)
    epochs: list[Epoch] = field(default_factory=list)
    seen: dict[str, Seen] = field(default_factory=dict)
    contents: defaultdict[str, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    taken: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    """How often each notification may come again, as its record died with its sender."""

    def answered(self, fact: object, moment: int) -> None:
        """Note an answer: from then on its client relies on it."""
        if isinstance(fact, Subscribed | Cancelled):
            self.answers.setdefault(fact.request_id, moment)
        if isinstance(fact, Subscribed):
            self.granted.setdefault((fact.request_id, fact.subscription), moment)

    def registered(self, key: bytes, value: bytes | None, moment: int) -> None:
        """Note a row of the register."""
        if key.startswith(NOTIFIED):
            return
        row = None if value is None else wire.decode(value, Registration)
        subscription = None if row is None else row.subscription
        if subscription is not None:
            self._moved(key, subscription)
        epoch = self.current.get(key)
        if epoch is not None and epoch.subscription == subscription:
            return
        # A renamed one that ends by itself leaves a row without an answer.
        if epoch is not None and row is not None and subscription is None and row.answers:
            last = row.answers[-1]
            epoch.cancelled = (last.action, last.subscription) == (
                Cancel.__name__,
                epoch.subscription.id,
            )
            if epoch.cancelled:
                epoch.life.turns.append(self._turn(last.request_id, is_on=False))
        if epoch is not None and (subscription is None or not _is_same(epoch, subscription)):
            epoch.until = moment
            epoch.replaced = subscription is not None and subscription.id == epoch.subscription.id
            del self.current[key]
        if row is not None and subscription is not None:
            self._noted(key, subscription, row.answers[-1].request_id)

    def _moved(self, key: bytes, subscription: Subscription) -> None:
        """Note that a subscription has the row of another name: it goes on, only renamed."""
        for old, epoch in self.current.items():
            if epoch.subscription.id == subscription.id and old != key:
                epoch.subscription = replace(epoch.subscription, name=subscription.name)
                self.current[key] = self.current.pop(old)
                return

    def _noted(self, key: bytes, subscription: Subscription, request_id: str) -> None:
        """Note what a request has made of a subscription."""
        life, known = self.lives[subscription.id], self.current.get(key)
        if not life.turns or life.turns[-1].is_on == subscription.paused:
            life.turns.append(self._turn(request_id, is_on=not subscription.paused))
        if known is not None:
            known.subscription = subscription
            return
        since = self.granted[request_id, subscription]
        self.current[key] = Epoch(subscription, since, life)
        self.epochs.append(self.current[key])

    def _turn(self, request_id: str, *, is_on: bool) -> Turn:
        return Turn(is_on, self.sent[request_id], self.answers[request_id])

    def stored(self, before: Document | None, after: Document, moment: int) -> None:
        """Note a new state of a document."""
        if before is None or before.watch != after.watch:
            before = None
        if after.failures >= self.max_failures:
            name = content_id(after.url, after.view, after.watch, after.slot, "timeout")
            found = Seen("timeout", name, after.url, after.watch, moment)
            self.seen.setdefault(name, found)
        elif before is not None and before.text is not None and after.text is not None:
            old, new = read_words(before.text), read_words(after.text)
            if old != new:
                name = content_id(after.url, after.view, after.slot, 0)
                place = after.url, after.watch, moment
                self.seen[name] = Seen("ok", name, *place, new - old, old - new)

    def subscriptions(self, url: str) -> list[Subscription]:
        """Return the subscriptions of a document."""
        epochs = self.current.values()
        return [epoch.subscription for epoch in epochs if epoch.subscription.url == url]

    def settle(self, posts: list[Post], ended: set[str], given_up: set[str]) -> None:
        """Hold what receivers got against all that was seen; everything is done by now.

        ``ended`` are subscriptions that their clients ended, or that ended with a receiver that was
        gone, ``given_up`` notifications that the receiver refused for good.
        """
        may, must = self._expected(ended)
        for post in posts:
            self._explained(post, may)
            self.taken[post.id] += post.taken
        entries = {name for name, times in self.taken.items() if times}
        missing = [names for names in must if not names & (entries | given_up)]
        assert not missing, f"never notified: {missing}"
        twice = [names for names in must if len(names & entries) > 1]
        assert not twice, f"notified of several ends: {twice}"
        for name, times in self.taken.items():
            assert times <= 1 + self.excused[name], f"{name} was taken {times} times"
        self.seen.clear()
        self.epochs = list(self.current.values())

    def _expected(
        self, ended: set[str]
    ) -> tuple[defaultdict[str, list[tuple[Subscription, str, Diffs]]], list[set[str]]]:
        """Return what may be notified under which id, and groups of ids: one of each must be.

        A document that fails on until its watch has ended gives several of these.
        """
        may: defaultdict[str, list[tuple[Subscription, str, Diffs]]] = defaultdict(list)
        alternatives: defaultdict[str, set[str]] = defaultdict(set)
        must: set[str] = set()
        for seen in self.seen.values():
            for epoch in self.epochs:
                subscription = epoch.subscription
                diffs = seen.entries(subscription)
                if diffs is None or not _concerns(seen, epoch):
                    continue
                name = content_id(seen.id, subscription.id)
                may[name].append((subscription, seen.status, diffs))
                fact = name if seen.status == "ok" else subscription.id
                alternatives[fact].add(name)
                if _is_due(seen, epoch, ended):
                    must.add(fact)
        for request_id, subscription in self.granted:
            if request_id in self.tests:
                change = content_id(subscription.id, request_id, "test")
                name = content_id(change, subscription.id)
                may[name].append((subscription, "ok", frozenset()))
                alternatives[name].add(name)
                must.add(name)
        return may, [alternatives[fact] for fact in must]

    def _explained(self, post: Post, may: dict[str, list[tuple[Subscription, str, Diffs]]]) -> None:
        body = json.loads(post.content)
        diffs = frozenset((each["event"], each["keyword"]) for each in body["diffs"])
        assert any(
            (post.client, body["status"], diffs)
            == (subscription.receiver.client_url, status, wanted)
            for subscription, status, wanted in may.get(post.id, ())
        ), f"nothing explains {post}"
        self.contents[post.id].add(post.content)
        assert len(self.contents[post.id]) == 1, f"one id, several contents: {post.id}"


def _concerns(seen: Seen, epoch: Epoch) -> bool:
    """Whether a subscription may be notified of what was seen."""
    subscription = epoch.subscription
    if (subscription.url, subscription.watch) != (seen.url, seen.watch):
        return False
    if epoch.until is not None and epoch.until <= seen.at:
        return False
    return seen.status != "ok" or epoch.life.may(seen.at)


def _is_due(seen: Seen, epoch: Epoch, ended: set[str]) -> bool:
    """Whether a subscription must be notified of what was seen."""
    if epoch.since >= seen.at or epoch.replaced:
        return False
    if seen.status == "ok":
        return epoch.life.must(seen.at) and (epoch.until is None or epoch.cancelled)
    # An end that was seen before a request changed the subscription is not for what it is now.
    return epoch.life.turns[-1].answered < seen.at and epoch.subscription.id not in ended


def _is_same(epoch: Epoch, subscription: Subscription) -> bool:
    """Whether a subscription wants the same as in an epoch, though it may be paused or go on."""
    paused, pauses, stopped = subscription.paused, subscription.pauses, subscription.stopped
    known = replace(epoch.subscription, paused=paused, pauses=pauses, stopped=stopped)
    return subscription == known
