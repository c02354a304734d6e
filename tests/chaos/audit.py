"""Compares what receivers got with what was planted."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from aiokafka import ConsumerRecord

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from tests.harness.hooks import Post
from tests.harness.load import Watcher

Version = int


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a run, in numbers; each field is a line of its table.

    ``planted`` counts the versions that documents went through (each stays until a
    fetch has stored it), ``detected`` the changes on ``changes``, ``expected`` the
    notifications that subscriptions must get of them, ``notified`` the notifications on
    ``notifications``, ``delivered`` those that their receiver accepted.
    ``duplicates`` are POSTs of what was accepted before, with the same id
    and bytes; ``aliens`` have an id or a body that no planted change explains;
    ``altered`` are ids with more than one content, at receivers or on topics; ``untimely`` are
    notifications of what was seen while a subscription was paused, before it, or after its end;
    ``disordered`` are subscriptions with a rule that were notified of a change after a later one.
    """

    planted: int
    detected: int
    expected: int
    notified: int
    delivered: int
    missing: int
    duplicates: int
    aliens: int
    altered: int
    untimely: int = 0
    disordered: int = 0

    @property
    def is_good(self) -> bool:
        """Whether the promise was kept."""
        wrong = self.missing, self.aliens, self.altered, self.untimely, self.disordered
        return not any(wrong)

    def table(self) -> str:
        """Return the numbers, a line each."""
        return "\n".join(
            f"{field.name:>12} {getattr(self, field.name):6}" for field in fields(self)
        )


@dataclass(slots=True)
class Received:
    """What one receiver got: ids and accepted POSTs by version, and the strays."""

    ids: defaultdict[Version, set[str]]
    taken: Counter[Version]
    contents: defaultdict[str, set[bytes]]
    strays: int = 0


def received_by(watcher: Watcher) -> Received:
    """Sort the POSTs that a receiver got by the version that explains them."""
    found = Received(defaultdict(set), Counter(), defaultdict(set))
    bodies = {version: expected(watcher, version) for version in _expected(watcher)}
    for post in watcher.hook.posts:
        version = next((v for v, body in bodies.items() if body == _seen(post)), None)
        found.contents[post.id].add(post.raw)
        if version is None:
            found.strays += 1
            continue
        found.ids[version].add(post.id)
        if 200 <= post.status < 300:
            found.taken[version] += 1
    return found


def expected(watcher: Watcher, version: int) -> dict[str, Any]:
    """Return the body that notifies a watcher of a version, without snippets."""
    return {"status": "ok", "url": watcher.url, "diffs": watcher.diffs(version)}


def missing(watcher: Watcher) -> set[Version]:
    """Return the versions that a watcher had to be notified of and was not."""
    return _expected(watcher) - received_by(watcher).taken.keys()


def audit(
    watchers: Sequence[Watcher],
    changes: Iterable[ConsumerRecord],
    notifications: Iterable[ConsumerRecord],
) -> Report:
    """Account for every planted version and for every POST."""
    found = [received_by(watcher) for watcher in watchers]
    wanted = [_expected(watcher) for watcher in watchers]
    on_changes = _contents(changes, DocumentChanged)
    on_notifications = _contents(notifications, Notification)
    contents = [on_changes, on_notifications, *(each.contents for each in found)]
    taken = [each.taken for each in found]
    return Report(
        planted=sum(page.planned - 1 for page in {w.page.url: w.page for w in watchers}.values()),
        detected=len(on_changes),
        expected=sum(map(len, wanted)),
        notified=len(on_notifications),
        delivered=sum(map(len, taken)),
        missing=sum(
            len(versions - counts.keys()) for versions, counts in zip(wanted, taken, strict=True)
        ),
        duplicates=sum(counts.total() - len(counts) for counts in taken),
        aliens=sum(each.strays + _second_names(each) for each in found),
        altered=sum(len(several) > 1 for part in contents for several in part.values()),
    )


def _expected(watcher: Watcher) -> set[Version]:
    return watcher.expected(watcher.page.planned)


def _second_names(found: Received) -> int:
    """Count the second ids of a version: each version has one id."""
    return sum(len(ids) - 1 for ids in found.ids.values())


def _seen(post: Post) -> dict[str, Any]:
    """Return a body without its snippets and later fields, after checking the snippets."""
    body = post.body
    assert all(diff["text"] in diff["snippet"] for diff in body["diffs"])
    diffs = [(d["event"], d["keyword"], d["text"]) for d in body["diffs"]]
    return {"status": body["status"], "url": body["url"], "diffs": diffs}


def _contents(
    messages: Iterable[ConsumerRecord], kind: type[DocumentChanged | Notification]
) -> dict[str, set[bytes]]:
    """Return the different contents of each id on a topic."""
    found: defaultdict[str, set[bytes]] = defaultdict(set)
    for message in messages:
        with suppress(wire.Undecodable):  # strangers write to it, too
            found[wire.decode(message.value, kind).id].add(message.value)
    return found
