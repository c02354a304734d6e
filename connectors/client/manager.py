"""JobManager, the library's entry point."""

import asyncio
import os
import signal
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from aiokafka.errors import KafkaConnectionError
from msgspec import convert, to_builtins
from platformdirs import user_data_path

from connectors.client.errors import NoAnswerInTime, Unreachable, rejection
from connectors.client.group import GroupMember
from connectors.client.handlers import (
    NotificationHandlers,
    OnLost,
    OnNotification,
    OnPage,
    OnTimeout,
    require_async,
)
from connectors.client.inbox import Inbox
from connectors.client.session import Session
from connectors.dead_letters.writing import publishing_dead_letters
from connectors.kafka import requests
from connectors.kafka.access import Access
from connectors.kafka.pending_answers import RegisterAnswer
from connectors.registry.client import RegistryRefused, RegistryUnavailable
from connectors.registry.codec import Codec
from connectors.running import NotRunning, running_note
from schemas.records.field_types import MAX_NAME
from schemas.records.requests import (
    MAX_BACKFILLED,
    Backfill,
    Cancel,
    Check,
    ClientRequest,
    Pause,
    Rename,
    Resume,
    Subscribe,
    Test,
)
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topic_names import PREFIX
from schemas.records.topics import DEAD_LETTERS, NOTIFICATIONS, SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS

TOPICS = (SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS, NOTIFICATIONS)
"""The topics of a program."""
SECOND = timedelta(seconds=1)
DEFAULTS = Options()
RETRIES = (1 * SECOND, 5 * SECOND, 30 * SECOND)
Handler = TypeVar("Handler")


class JobManager:
    """Watches documents for the sessions of a manager, and calls handlers for notifications.

    An async context manager. Managers with different names share a deployment without seeing each
    other. Processes with the same name share the work: each notification is handled by only one of
    them, and the notifications of a session in order. Notifications without a running process wait
    on the topic, until the end of its retention.

    Register handlers before the first ``await``. Each notification is handled at least once, and
    again if the process dies before its handler has returned. After a failure (False or an
    exception) the handler is called again after each of ``retries``; then the notification becomes
    a dead letter with the reason.

        async with JobManager("news-desk") as manager:
            manager.on_notification(print_matches)
            await manager.add("https://example.org/", Session("client-1"), ["argus"])
            await manager.run()
    """

    def __init__(
        self,
        name: str,
        kafka: str | Access | None = None,
        *,
        prefix: str | None = None,
        timeout: timedelta = 10 * SECOND,
        retries: Sequence[timedelta] = RETRIES,
        registry: str | None = None,
    ) -> None:
        """Prepare to connect to ``kafka``, brokers (``host:port,…``) or an Access.

        Without ``kafka``, to the brokers in VOKTER_KAFKA, or of the running ``vokter up`` in
        VOKTER_DATA_DIR or the default folder. ``name`` is also the consumer group. ``prefix`` is
        the deployment's VOKTER_TOPIC_PREFIX, ``registry`` its SCHEMA_REGISTRY_URL if any;
        ``timeout`` is for answers to requests. Raises ValueError for an invalid name, Unreachable
        if no deployment is known.
        """
        if kafka is None:
            kafka, known_prefix = _running_deployment()
            prefix = known_prefix if prefix is None else prefix
        prefix = PREFIX if prefix is None else prefix
        if not 0 < len(name) <= MAX_NAME:
            raise ValueError(
                f"a manager's name must have 1 to {MAX_NAME} characters, not {len(name)}"
            )
        if prefix and name.startswith(prefix):
            raise ValueError(f"the consumer groups {prefix}… are Vokter's; choose another name")
        self.name = name
        self._access = kafka if isinstance(kafka, Access) else Access(kafka)
        self._prefix = prefix
        self._timeout = timeout.total_seconds()
        self._pauses = [pause.total_seconds() for pause in retries]
        self._handlers = NotificationHandlers()
        topics = prefix + SUBSCRIPTION_REQUESTS.name, prefix + SUBSCRIPTIONS.name
        self._codec = Codec(registry, prefix, {topic.name: topic.kinds for topic in TOPICS})
        self._register = requests.RequestSender(self._access, *topics, self._timeout, self._codec)
        self._tasks: asyncio.TaskGroup | None = None
        self._reading: asyncio.Task[None] | None = None

    def on_notification(self, handler: OnNotification) -> OnNotification:
        """Register an async function, called with URL, content type, session and matches.

        The URL is the URL passed to ``add``, or the changed page's for ``pages:…``; ``Matches``
        have the page's title, too. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_notification = self._handling(handler)
        return handler

    def on_timeout(self, handler: OnTimeout) -> OnTimeout:
        """Register an async function, called with URL, content type and session.

        The handler is called when a document could not be read and its subscription has ended. The
        content type is empty if never known. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_timeout = self._handling(handler)
        return handler

    def on_failing(self, handler: OnTimeout) -> OnTimeout:
        """Register an async function, called with URL, content type and session.

        The handler is called when a document cannot be read, for subscriptions with
        ``notify_failures``. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_failing = self._handling(handler)
        return handler

    def on_recovered(self, handler: OnTimeout) -> OnTimeout:
        """Register an async function, called with URL, content type and session.

        The handler is called when a document can be read again, for subscriptions with
        ``notify_failures``. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_recovered = self._handling(handler)
        return handler

    def on_lost(self, handler: OnLost) -> OnLost:
        """Register an async function, called with URL, reason and session.

        The handler is called when a document has nothing of its view's selection, or is a login
        page instead, for subscriptions with ``notify_failures``. Raises TypeError if ``handler`` is
        not async.
        """
        self._handlers.on_lost = self._handling(handler)
        return handler

    def on_found(self, handler: OnTimeout) -> OnTimeout:
        """Register an async function, called with URL, content type and session.

        The handler is called when a lost part is there again, for subscriptions with
        ``notify_failures``. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_found = self._handling(handler)
        return handler

    def on_page_added(self, handler: OnPage) -> OnPage:
        """Register an async function, called with URL, the URL of a page, and session.

        The handler is called when a crawl with ``notify_pages`` covers a new page. Raises TypeError
        if ``handler`` is not async.
        """
        self._handlers.on_page_added = self._handling(handler)
        return handler

    def on_page_removed(self, handler: OnPage) -> OnPage:
        """Register an async function, called with URL, the URL of a page, and session.

        The handler is called when no page of a crawl links to a page any more, for subscriptions
        with ``notify_pages``. Raises TypeError if ``handler`` is not async.
        """
        self._handlers.on_page_removed = self._handling(handler)
        return handler

    async def add(
        self,
        url: str,
        session: Session,
        keywords: Sequence[str],
        options: Options = DEFAULTS,
        *,
        replace: bool = False,
        name: str = "",
    ) -> str:
        """Watch a document for a session, and return the subscription's id.

        ``options`` are those of the REST API's ``POST /subscribe``; ``interval`` is in whole
        seconds. An equal watch of the session stays unchanged, so a program may add its watches at
        every start; ``replace`` changes a different watch instead of raising AlreadyWatched. By its
        ``name``, a session may watch a document several times.

        await manager.add(url, Session("client-1"), ["argus"], Options(ignore_case=True))

        Raises AlreadyWatched or another RequestRejected, NoAnswerInTime, ValueError for an option
        of another type, or TypeError for a string as ``keywords``.
        """
        if isinstance(keywords, str):
            raise TypeError(f"keywords: a list of strings is allowed, not the string {keywords!r}")
        request = Subscribe(
            url,
            _receiver(session),
            manager=self.name,
            keywords=tuple(keywords),
            options=convert(to_builtins(options), Options),
            replace=replace,
            name=name,
        )
        fact = await self._ask(request)
        assert isinstance(fact, Subscribed), "a Subscribe is answered by Subscribed or Rejected"
        return fact.subscription.id

    async def cancel(
        self, url: str, session: Session, *, name: str = "", undo: bool = False
    ) -> None:
        """Stop watching a document for a session; earlier matches still reach the handler.

        With ``undo``, ``resume`` takes the stop back for a minute: id and history stay.

        await manager.cancel(url, Session("client-1"), undo=True)
        await manager.resume(url, Session("client-1"))

        Raises NotWatched, another RequestRejected, or NoAnswerInTime.
        """
        await self._ask(Cancel(url, _receiver(session), manager=self.name, name=name, undo=undo))

    async def pause(self, url: str, session: Session, *, name: str = "") -> None:
        """Pause a session's notifications about a document, even if already paused.

        Raises NotWatched, another RequestRejected, or NoAnswerInTime.
        """
        await self._ask(Pause(url, _receiver(session), manager=self.name, name=name))

    async def resume(self, url: str, session: Session, *, name: str = "") -> None:
        """Resume a session's notifications about a document.

        If all of the document's subscriptions were paused, the changes meanwhile are reported as a
        single change. Raises NotWatched, another RequestRejected, or NoAnswerInTime.
        """
        await self._ask(Resume(url, _receiver(session), manager=self.name, name=name))

    async def check(self, url: str, session: Session, *, name: str = "") -> datetime:
        """Check a document as soon as allowed, and return the time of the visit.

        The earliest time is the smallest interval of the deployment after the last visit. Failures
        no longer postpone the visit. Raises NotWatched, another RequestRejected, or NoAnswerInTime.

        at = await manager.check(url, Session("client-1"))
        """
        fact = await self._ask(Check(url, _receiver(session), manager=self.name, name=name))
        assert isinstance(fact, Subscribed), "a Check is answered by Subscribed or Rejected"
        return datetime.fromtimestamp(fact.check / 1000, UTC)

    async def rename(self, url: str, session: Session, new_name: str, *, name: str = "") -> None:
        """Rename a session's subscription to a document; its id stays.

        ``add`` and all others use the new name from then on. An empty name removes the name. Raises
        NotWatched, AlreadyWatched if the session has a subscription with the new name, another
        RequestRejected, or NoAnswerInTime.
        """
        who = _receiver(session), None, self.name, name
        await self._ask(Rename(url, *who, new_name=new_name))

    async def test(self, url: str, session: Session, *, name: str = "") -> None:
        """Send a test notification without matches, on the path of all notifications.

        Raises NotWatched, another RequestRejected, or NoAnswerInTime.
        """
        await self._ask(Test(url, _receiver(session), manager=self.name, name=name))

    async def backfill(
        self,
        url: str,
        session: Session,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = MAX_BACKFILLED,
        name: str = "",
    ) -> None:
        """Notify a session of the newest kept changes, without repeats.

        Those from ``since`` on and before ``until``, times with a zone; ``limit`` of them at most,
        up to 100. Their ``matches.history`` is True.

        Raises NotWatched, another RequestRejected, or NoAnswerInTime.
        """
        begin, end = ("" if each is None else each.isoformat() for each in (since, until))
        who = _receiver(session), None, self.name, name
        await self._ask(Backfill(url, *who, since=begin, until=end, limit=limit))

    async def run(self) -> None:
        """Wait for Ctrl-C or until cancelled; handlers are called meanwhile.

        Ctrl-C ends the run without an error, unless the program handles this signal itself.
        """
        interrupted, before = asyncio.Event(), signal.getsignal(signal.SIGINT)
        is_main = threading.current_thread() is threading.main_thread()
        is_of_asyncio = before is signal.default_int_handler or isinstance(before, partial)
        if not is_main or not is_of_asyncio:
            await interrupted.wait()
            return
        loop = asyncio.get_running_loop()
        # It would end the program with a traceback otherwise.
        loop.add_signal_handler(signal.SIGINT, interrupted.set)
        try:
            await interrupted.wait()
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            signal.signal(signal.SIGINT, before)

    async def __aenter__(self) -> Self:
        """Connect; raises Unreachable."""
        try:
            await self._codec.start()
            async with asyncio.timeout(self._timeout):
                await self._register.__aenter__()
        except KafkaConnectionError as error:
            raise Unreachable(f"No broker answers at {self._access.bootstrap}.") from error
        except (RegistryUnavailable, RegistryRefused) as error:
            raise Unreachable(str(error)) from error
        except (LookupError, TimeoutError) as error:
            raise Unreachable(
                f"Found no topic {self._prefix}{SUBSCRIPTIONS.name} at {self._access.bootstrap} "
                f"within {self._timeout:g} s. Check the prefix, and whether Vokter ever ran there."
            ) from error
        self._tasks = await asyncio.TaskGroup().__aenter__()
        if self._handlers != NotificationHandlers():
            self._read()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect; raises the error of the reader of notifications, if any."""
        assert self._tasks is not None
        if self._reading is not None:
            self._reading.cancel()
        try:
            await self._tasks.__aexit__(kind, error, trace)
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        finally:
            await self._register.__aexit__(kind, error, trace)

    async def _ask(self, request: ClientRequest) -> RegisterAnswer:
        if self._tasks is None:
            raise RuntimeError("a JobManager must be entered first: async with JobManager(…)")
        try:
            fact = await self._register.ask(request)
        except requests.RequestTimedOut as error:
            raise NoAnswerInTime(self._register.problem or str(error)) from error
        if isinstance(fact, Rejected):
            raise rejection(fact)
        return fact

    def _handling(self, handler: Handler) -> Handler:
        """Return an async handler, once its notifications are read."""
        require_async(handler)
        self._read()
        return handler

    def _read(self) -> None:
        """Start reading notifications, once."""
        if self._tasks is not None and self._reading is None:
            self._reading = self._tasks.create_task(self._handle())

    async def _handle(self) -> None:
        letters = self._prefix + DEAD_LETTERS.name
        async with publishing_dead_letters(self._access, letters) as publish:
            inbox = Inbox(
                self.name, self._handlers, self._pauses, publish, asyncio.sleep, self._codec
            )
            topic = self._prefix + NOTIFICATIONS.name
            await GroupMember(self._access, topic, self.name, inbox.handle).run()


def _running_deployment() -> tuple[str, str]:
    """Return the brokers and the prefix of the deployment found by commands."""
    prefix = os.environ.get("VOKTER_TOPIC_PREFIX", PREFIX)
    if brokers := os.environ.get("VOKTER_KAFKA"):
        return brokers, prefix
    folder = os.environ.get("VOKTER_DATA_DIR")
    try:
        note = running_note(Path(folder) if folder else user_data_path("vokter"))
    except NotRunning as error:
        raise Unreachable(str(error)) from None
    return note["kafka"], note["topic_prefix"]


def _receiver(session: Session) -> Receiver:
    return Receiver(session=session.id)
