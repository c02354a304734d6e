"""Kept pages that are read again: what is found, what is replaced, and what never is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.sqlite.store import SqliteStore
from schemas.records.answers import Reading
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document
from schemas.records.notifications import Notification
from schemas.records.reprocessing import ReadAgain, Reprocess, Reprocessed
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import EarlierView, Options, Receiver, Subscription
from schemas.records.views import WatchedView
from streams.agents.fetch.examining import Read
from streams.agents.history import reprocess as page
from streams.agents.history.agent import HistoryProcessor
from streams.agents.history.backfill import BackfillEffects, Backfills
from streams.agents.history.reprocess_effects import ReprocessEffects, Reread, Rereading
from streams.agents.history.reprocess_reading import read_again
from streams.matching.backtest import past_notification
from streams.values.outcome import Event, Owned, Send
from streams.values.steps import completed
from tests.fakes.upgraded import Upgraded, reader
from tests.fakes.visiting import MINUTE, URL, Worker, changes
from tests.harness.examples import examples

LARGE = 1_000_000
ZEUS = Subscription("zeus", "w", "default", URL, URL, Receiver("http://hook.test/"), ("zeus",),
                    Options(), 0)  # fmt: skip
READ = replace(ZEUS, id="read", keywords=("read",))


@dataclass
class Kept:
    """A scene that stores its pages in a real store, and an agent with a reader."""

    scene: Upgraded
    store: SqliteStore
    read: Read = field(default_factory=lambda: reader(1))
    seconds: float = 0.0
    takes: float = 0.0

    async def see(self, *texts: str) -> None:
        """Visit the page with one text after another, and record what is published."""
        worker = Worker(self.scene)
        for text in texts:
            self.scene.now += MINUTE
            await worker.see(self.scene.now / MINUTE, text)
        await self.store.read_side.record(self.scene.facts)

    async def subscribed(self, *several: Subscription) -> None:
        facts = [Subscribed("r", each, URL, None, each.created) for each in several]
        await self.store.read_side.record(facts)

    async def notified(self, *several: Subscription) -> None:
        """Record the notifications that the changes so far have brought these."""
        for each in several:
            changes = (fact for fact in self.scene.facts if isinstance(fact, DocumentChanged))
            for change in changes:
                if found := _notification(each, change):
                    await self.store.read_side.record([found])

    async def reprocessed(self, **values: Any) -> Reprocessed:
        command = Reprocess("run", URL, "", WatchedView())
        return await self.handled(replace(command, **values))

    async def handled(self, command: Reprocess) -> Reprocessed:
        agent = HistoryProcessor(
            Backfills(Mock(BackfillEffects)),
            lambda command: page.PageReprocess(self.effects(), command).result(),
        )
        await agent.assigned([Owned(0, {}, lambda _: iter(()), {})])
        event = Event("history-requests", 0, 0, 0, None, b"", (), command)
        outcome = await agent.handle(event, lambda *_: None)
        (send,) = outcome.sends
        assert isinstance(send, Send)
        assert (send.topic, send.key) == ("reprocessed", URL)
        assert isinstance(send.record, Reprocessed)
        return send.record

    def effects(self) -> ReprocessEffects:
        return ReprocessEffects(
            pages=self.store.kept,
            documents=self.store.snapshots,
            read=self._read,
            compute=_computed,
            language=lambda code: code,
            now=lambda: self.scene.now + 1,
            seconds=lambda: self.seconds,
        )

    async def _read(self, work: Rereading) -> Reread:
        self.seconds += self.takes
        return read_again(self.read, work)

    async def document(self) -> Document:
        found = await self.store.snapshots.document(URL)
        assert found is not None
        return found


async def _computed(work: Any) -> bool:
    return bool(work())


def _notification(subscription: Subscription, change: DocumentChanged) -> Notification | None:
    found = completed(past_notification(subscription, change, in_full=True))
    return found and found.notification


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Kept]:
    store = SqliteStore.open(folder / "store.db", history=10)
    scene = Upgraded(keep_bodies=LARGE)
    scene.store = store.snapshots  # type: ignore[assignment]  # the real one
    yield Kept(scene, store)
    await store.close()


@pytest_asyncio.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    async with opened(tmp_path) as kept:
        yield kept


def fates(found: Reprocessed) -> list[tuple[bool, bool]]:
    return [(each.was_change, each.is_change) for each in found.times if each.is_compared]


async def test_by_the_same_reader_all_is_as_it_was(kept: Kept) -> None:
    await kept.subscribed(ZEUS)
    await kept.see("zeus", "hera", "zeus")
    await kept.notified(ZEUS)
    found = await kept.reprocessed()
    assert [(each.reader, each.reader_now, each.edits) for each in found.times] == [
        ("plain 1", "plain 1", 0)
    ] * 3
    assert fates(found) == [(True, True)] * 2
    assert [each.same for each in found.times] == [(), ("zeus",), ("zeus",)]
    assert not any(each.added or each.removed or each.problem for each in found.times)
    assert len({each.body_sha256 for each in found.times}) == 2


@examples(15)
@given(st.lists(st.sampled_from(["zeus", "hera", "ares " * 60, ""]), max_size=8))
async def test_whatever_a_page_was_the_same_reader_finds_what_was_found(texts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        async with opened(Path(folder)) as kept:
            await kept.subscribed(ZEUS)
            await kept.see(*texts)
            await kept.notified(ZEUS)
            for each in (await kept.reprocessed()).times[1:]:
                assert (each.edits, each.problem, each.is_compared) == (0, "", True)
                assert each.was_change == each.is_change
                assert each.added == each.removed == ()


async def test_what_a_new_version_reads_otherwise_is_shown_and_nothing_is_replaced(
    kept: Kept,
) -> None:
    await kept.see("zeus", "hera")
    before, kept.read = await kept.document(), reader(2)
    found = await kept.reprocessed()
    assert [(each.reader, each.reader_now, each.difference) for each in found.times] == [
        ("plain 1", "plain 2", "+ read by 2")
    ] * 2
    assert fates(found) == [(True, True)]
    assert await kept.document() == before


async def test_another_view_says_which_changes_and_notifications_it_has(
    kept: Kept,
) -> None:
    await kept.subscribed(ZEUS)
    await kept.see("zeus", "hera", "hera 2")
    await kept.notified(ZEUS)
    texts = {b"zeus": "a god", b"hera": "hera", b"hera 2": "hera"}
    kept.read = lambda body, *_: [Reading(texts[body], "text/plain", reader="plain 1")]
    found = await kept.reprocessed(watched=WatchedView("other"))
    assert fates(found) == [(True, True), (True, False)]
    assert [each.removed for each in found.times] == [(), ("zeus",), ()]


async def test_without_bodies_recorded_changes_are_matched_and_texts_are_not_read(
    kept: Kept,
) -> None:
    kept.scene.keep_bodies = 0
    await kept.subscribed(ZEUS, READ)
    await kept.see("zeus", "hera")
    await kept.notified(READ)
    found = await kept.reprocessed()
    assert [(each.reader, each.reader_now) for each in found.times] == [("plain 1", "")] * 2
    assert fates(found) == [(True, True)]
    assert [each.added for each in found.times] == [(), ("zeus",)]


@pytest.mark.parametrize(
    "other",
    [
        replace(ZEUS, created=10**12),
        replace(ZEUS, options=Options(patience=60)),
        replace(ZEUS, paused=True),
        replace(ZEUS, earlier_views=(EarlierView("other", 10**12),)),
    ],
)
async def test_who_could_not_be_notified_then_is_not_compared(
    kept: Kept, other: Subscription
) -> None:
    await kept.subscribed(other)
    await kept.see("zeus", "hera")
    found = await kept.reprocessed()
    assert not any(each.added for each in found.times)


async def test_only_what_is_newer_is_read(kept: Kept) -> None:
    await kept.see("zeus", "hera", "ares")
    found = await kept.reprocessed(since=kept.scene.now + 1)
    assert [each.at for each in found.times] == [kept.scene.now]
    found = await kept.reprocessed(since=kept.scene.now - MINUTE + 1)
    assert [each.at for each in found.times] == [kept.scene.now - MINUTE, kept.scene.now]


async def test_a_page_that_takes_too_long_is_left_and_says_so(kept: Kept) -> None:
    await kept.see("zeus", "hera", "ares")
    kept.takes = page.PAGE_S - 1
    found = await kept.reprocessed(replace=True)
    assert len(found.times) == 2
    assert (found.unread, found.outcome) == (page.LATE, "")


class TestReplacing:
    async def test_the_newest_text_is_replaced_and_the_next_visit_notifies_nobody(
        self, kept: Kept
    ) -> None:
        await kept.see("zeus", "hera")
        kept.read = reader(2)
        assert (await kept.reprocessed(replace=True)).outcome == page.REPLACED
        document = await kept.document()
        assert (document.text, document.reader) == ("hera\n\nread by 2", "plain 2")
        kept.scene.version = 2
        published = len(kept.scene.published)
        await kept.see("hera")
        assert len(kept.scene.published) == published
        await kept.see("ares")
        assert changes(kept.scene)[-1] == ("hera", "ares")

    async def test_the_text_that_is_replaced_is_in_the_history(self, kept: Kept) -> None:
        await kept.see("zeus")
        at, kept.read = kept.scene.now, reader(2)
        await kept.reprocessed(replace=True)
        older = await kept.store.kept.snapshot(URL, "", at)
        assert older is not None
        assert (older.text, older.reader) == ("zeus", "plain 1")

    async def test_it_may_be_repeated(self, kept: Kept) -> None:
        await kept.see("zeus")
        kept.read = reader(2)
        await kept.reprocessed(replace=True)
        document = await kept.document()
        assert (await kept.reprocessed(replace=True)).outcome == page.SAME
        assert await kept.document() == document

    async def test_a_visit_in_between_wins(self, kept: Kept) -> None:
        await kept.see("zeus")
        kept.read = reader(2)
        effects = kept.effects()

        async def visited(work: Rereading) -> Reread:
            await kept.see("hera")
            return await kept._read(work)

        command = Reprocess("run", URL, "", WatchedView(), replace=True)
        overtaken = replace(effects, read=visited)
        found = await page.PageReprocess(overtaken, command).result()
        assert found.outcome == page.OVERTAKEN
        document = await kept.document()
        assert (document.text, document.reader) == ("hera", "plain 1")

    async def test_a_visit_that_has_yet_to_publish_wins(self, kept: Kept) -> None:
        await kept.see("zeus")
        document, kept.read = await kept.document(), reader(2)
        waiting = replace(document, unpublished=(b"record",), version=document.version + 7)
        assert await kept.store.snapshots.compare_and_set(waiting, document.version)
        assert (await kept.reprocessed(replace=True)).outcome == page.OVERTAKEN
        assert await kept.document() == waiting

    async def test_a_visit_that_began_before_writes_nothing_and_the_next_one_does(
        self, kept: Kept
    ) -> None:
        worker = Worker(kept.scene)
        await worker.see(kept.scene.now / MINUTE + 1, "zeus")
        kept.read = reader(2)
        assert (await kept.reprocessed(replace=True)).outcome == page.REPLACED
        await worker.see(kept.scene.now / MINUTE + 2, "hera")
        assert kept.scene.published == []
        kept.scene.version = 2
        await worker.see(kept.scene.now / MINUTE + 3, "hera")
        assert changes(kept.scene) == [("zeus", "hera")]

    async def test_without_a_body_nothing_is_replaced(self, kept: Kept) -> None:
        kept.scene.keep_bodies = 0
        await kept.see("zeus")
        kept.read = reader(2)
        document = await kept.document()
        found = await kept.reprocessed(replace=True)
        assert found.outcome == "no body is kept of the newest text"
        assert await kept.document() == document


async def test_a_page_that_nothing_is_kept_of_has_an_empty_result(kept: Kept) -> None:
    assert await kept.reprocessed() == Reprocessed("run", URL, "", ())


def test_a_result_says_at_least_when() -> None:
    assert ReadAgain(5).at == 5
