"""`from vokter import JobManager, Session`: programs that embed the watcher."""

from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any
from uuid import uuid4

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from connectors.dead_letters.record import DeadLetter
from connectors.kafka.groups import Group, describe_group
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options
from schemas.records.topics import DEAD_LETTERS, NOTIFICATIONS
from streams.effects.connections import kafka_access
from streams.values.partitions import partition_of
from tests.harness.embedding import LINE, notified
from tests.harness.facts import Messages, reading
from tests.harness.pages import Page, Pages
from tests.harness.processes import Deployment, Process
from tests.harness.rest import Rest
from tests.harness.waiting import TIMEOUT_S, eventually, until
from vokter import AlreadyWatched, InvalidUrl, JobManager, NotWatched, Session, Unreachable

SECOND = timedelta(seconds=1)
BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"


class Desk:
    """A manager in this process, and what its handler was called with."""

    def __init__(self, deployment: Deployment, name: str, **more: Any) -> None:
        settings = deployment.settings
        assert settings.kafka is not None
        more.setdefault("timeout", timedelta(seconds=TIMEOUT_S))
        self.manager = JobManager(name, settings.kafka, prefix=settings.topic_prefix, **more)
        self.notified: list[Any] = []
        self.manager.on_notification(self.changed)

    async def changed(self, *arguments: Any) -> None:
        self.notified.append(arguments)

    async def first_notifications(self) -> list[Any]:
        return await until(lambda: self.notified, "its handler is called")

    async def add(self, page: Page, *sessions: str) -> None:
        for session in sessions:
            await self.manager.add(page.url, Session(session), ["argus"], Options(interval=1))

    async def cancel(self, page: Page, *sessions: str) -> None:
        for session in sessions:
            await self.manager.cancel(page.url, Session(session))


class Programs:
    """Processes of one manager, each with its notes."""

    def __init__(self, deployment: Deployment, name: str, folder: Path) -> None:
        self._settings = deployment.settings
        self._name = name
        self._folder = folder
        self._stack = ExitStack()

    def start(self, number: int) -> Process:
        where = self._settings.kafka or "", self._settings.topic_prefix
        line = [*LINE, self._name, *where, str(self.file(number))]
        process = Process(f"{self._name}-{number}", line, self._settings)
        process.start()
        self._stack.callback(process.kill)
        return process

    def file(self, number: int) -> Path:
        return self._folder / f"notes-{number}"

    def sessions(self, number: int) -> list[str]:
        return [note["session"] for note in notified(self.file(number))]

    async def group(self, found: Callable[[Group], bool], what: str) -> None:
        """Wait until the group is as it should be."""
        admin = AIOKafkaAdminClient(**kafka_access(self._settings).client())
        await admin.start()

        async def is_so() -> bool:
            return found(await describe_group(admin, self._name))

        try:
            await eventually(is_so, what)
        finally:
            await admin.close()

    async def handled(self, messages: Messages) -> None:
        """Wait until the group has committed what was read here of its manager's messages."""
        ends = {
            TopicPartition(message.topic, message.partition): message.offset + 1
            for message, fact in zip(messages.seen, messages.facts, strict=True)
            if getattr(fact, "manager", None) == self._name
        }

        def is_noted(group: Group) -> bool:
            return all(group.committed.get(place, 0) >= end for place, end in ends.items())

        await self.group(is_noted, "all is noted as handled")

    def end(self) -> None:
        self._stack.close()


@pytest.fixture
async def programs(shared: Deployment, rest: Rest, tmp_path: Path) -> AsyncIterator[Programs]:
    programs = Programs(shared, f"desk-{uuid4().hex[:8]}", tmp_path)
    yield programs
    programs.end()


async def test_managers_of_one_deployment_do_not_see_each_other(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page = pages.add(BEFORE)
    ours, theirs = Desk(shared, uuid4().hex), Desk(shared, uuid4().hex)
    async with ours.manager, theirs.manager:
        await ours.add(page, "one")
        await ours.add(page, "one")
        with pytest.raises(AlreadyWatched):
            await ours.manager.add(page.url, Session("one"), ["other"], Options(interval=1))
        with pytest.raises(NotWatched):
            await theirs.cancel(page, "one")
        with pytest.raises(InvalidUrl, match="invalid"):
            await ours.manager.add("nowhere", Session("one"), ["argus"])
        await theirs.add(page, "one")
        await page.stored()
        page.text = AFTER
        for desk in (ours, theirs):
            ((url, content_type, session, (match,)),) = await desk.first_notifications()
            assert (url, content_type, session) == (page.url, "text/html", Session("one"))
            assert (match.event, match.keyword, match.text) == ("added", "argus", "argus")
            await desk.cancel(page, "one")
    assert (len(ours.notified), len(theirs.notified)) == (1, 1)


async def test_a_session_is_tested_and_is_notified_of_nothing_while_it_is_paused(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page, desk, one = pages.add(BEFORE), Desk(shared, uuid4().hex), Session("one")
    async with desk.manager as manager:
        await desk.add(page, "one", "two")
        await page.stored()
        await manager.test(page.url, one)
        assert (await until(lambda: desk.notified, "tested"))[0] == (page.url, "", one, ())

        await manager.pause(page.url, one)
        page.text = AFTER
        await until(lambda: len(desk.notified) >= 2, "the other is notified")
        await manager.resume(page.url, one)
        page.text = BEFORE
        await until(lambda: len(desk.notified) >= 4, "both are notified")
        notified = sorted((who.id, match.event) for *_, who, (match,) in desk.notified[1:])
        assert notified == [("one", "removed"), ("two", "added"), ("two", "removed")]

        await desk.cancel(page, "one", "two")
        for ask in (manager.test, manager.pause, manager.resume):
            with pytest.raises(NotWatched):
                await ask(page.url, one)


async def test_processes_of_one_manager_share_the_work_and_go_on_where_they_stopped(
    shared: Deployment, programs: Programs, pages: Pages
) -> None:
    page, count = pages.add(BEFORE), shared.settings.partitions
    sessions = {partition_of(str(n), count): str(n) for n in range(100)}.values()
    desk = Desk(shared, programs._name)
    desk.manager._handlers.on_notification = None  # it subscribes and no more
    async with desk.manager, reading(shared.settings, NOTIFICATIONS) as on_topic:
        await desk.add(page, *sessions)
        await page.stored()

        first, second = programs.start(1), programs.start(2)
        await programs.group(lambda it: (it.state, it.members) == ("Stable", 2), "both have joined")
        page.text = AFTER
        await until(
            lambda: len(programs.sessions(1) + programs.sessions(2)) >= len(sessions), "handled"
        )
        assert sorted(programs.sessions(1) + programs.sessions(2)) == sorted(sessions)
        assert len(programs.sessions(1)) == len(programs.sessions(2)) == count // 2

        def are_notified(count: int) -> bool:
            return len(on_topic.of(Notification, manager=programs._name)) >= count

        await until(lambda: are_notified(len(sessions)), "all is on the topic")
        await programs.handled(on_topic)
        first.send(SIGKILL)
        assert second.send(SIGTERM) == 0
        page.text = BEFORE
        await until(lambda: are_notified(2 * len(sessions)), "nobody is there")

        programs.start(3)
        await until(lambda: len(programs.sessions(3)) >= len(sessions), "the third goes on")
        assert sorted(programs.sessions(3)) == sorted(sessions), "and repeats nothing"
        await desk.cancel(page, *sessions)


async def test_a_first_start_misses_no_notification_since_the_subscription(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page, name = pages.add(BEFORE), uuid4().hex
    quiet, late = Desk(shared, name), Desk(shared, name)
    quiet.manager._handlers.on_notification = None
    async with quiet.manager, reading(shared.settings, NOTIFICATIONS) as on_topic:
        await quiet.add(page, "one")
        await page.stored()
        page.text = AFTER
        await until(lambda: on_topic.of(Notification, manager=name), "it is on the topic")
        async with late.manager:
            await until(lambda: late.notified, "it is notified")
        await quiet.cancel(page, "one")


async def test_a_notification_that_its_handler_never_takes_is_a_dead_letter_and_the_next_comes(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page, name = pages.add(BEFORE), uuid4().hex
    desk = Desk(shared, name, retries=[SECOND / 100])
    tried: list[str] = []

    async def changed(url: str, kind: str, session: Session, matches: Any) -> bool:
        tried.append(matches[0].event)
        return bool(matches[0].event == "removed")

    desk.manager.on_notification(changed)
    async with desk.manager, reading(shared.settings, DEAD_LETTERS) as letters:
        await desk.add(page, "one")
        await page.stored()
        page.text = AFTER
        (letter,) = await until(
            lambda: [found for m in letters.seen if (found := DeadLetter.of(m)).agent == name],
            "buried",
        )
        page.text = BEFORE
        await until(lambda: "removed" in tried, "the next is notified")
        await desk.cancel(page, "one")
    assert tried == ["added", "added", "removed"]
    assert letter.reason == "NotHandled('the handler returned False')"
    assert letter.origin is not None
    assert letter.origin[0] == "notifications"


async def test_a_prefix_that_no_deployment_has_is_reported(shared: Deployment) -> None:
    assert shared.settings.kafka is not None
    with pytest.raises(Unreachable, match=r"no topic other\.subscriptions"):
        async with JobManager("desk", shared.settings.kafka, prefix="other.", timeout=SECOND):
            pass
