"""``vokter demo``: the whole pipeline, on a page with a change every few seconds."""

import asyncio
import json
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from itertools import count, cycle
from pathlib import Path
from typing import Any
from uuid import uuid4

from rich.console import Console
from rich.text import Text

from connectors.display.runs import Run
from connectors.display.sentences import edited_lines
from connectors.running import NotRunning
from infra.ports import free_or_any
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topic_names import PREFIX
from schemas.records.topics import CHANGES, FETCHES, Topic
from schemas.records.views import Selector, ViewOptions
from streams.cli.demo.town import PAGES, Playground
from streams.cli.discovery import RunningDeployment, forget_deployment, with_broker
from streams.cli.jobs.notification_view import COLOURS, with_runs
from streams.cli.jobs.requests import ask
from streams.cli.jobs.tail import message_lines
from streams.cli.local.deployment import deployment
from streams.cli.output import printable, say
from streams.settings import Settings

CHANGE_EVERY_S = 4.0
NOTIFIED_TIMEOUT_S = 180.0
FIRST, *OTHERS = PAGES
"""The terminal shows the events of the first; the page shows all."""
OTHERS_INTERVAL_S = 3
OTHERS_EVERY = 2
"""Another page changes after so many changes of the first."""
PARTITIONS = 2


class NothingSeen(Exception):
    """The demo did not show a notification in time; the text names the missing part."""


class Demo:
    """Prints fetches, changes and notifications; completes once words were added and removed."""

    def __init__(self, url: str = "") -> None:
        """Show the events of a page; start with no notification seen."""
        self.url = url
        self.events: set[str] = set()
        self.complete = asyncio.Event()
        self._console = Console(highlight=False)

    def fetches(self, line: dict[str, Any]) -> None:
        """Print the URL of a fetch command."""
        if any(due["url"] == self.url for due in line.get("due", ())):
            self._print("fetch", "cyan", Text(printable(self.url)))

    def changes(self, line: dict[str, Any]) -> None:
        """Print the sentences of a change, an edited sentence before and after."""
        for region in line.get("regions", ()) if line.get("url") == self.url else ():
            for edit in region["edits"]:
                before, after = (_sentence(region, edit, side) for side in ("removed", "added"))
                change, plain = edit["change"], [(Run(before or after),)]
                lines = edited_lines(before, after) if before and after else plain
                for number, run in enumerate(lines):
                    self._print("" if number else change, COLOURS[change], with_runs(Text(), run))

    def received(self, path: str, body: dict[str, Any]) -> None:
        """Print the entries of a webhook's notification, or all of a notification to the user's."""
        if path == "/yours":
            self._print("yours", "magenta", Text(printable(json.dumps(body, ensure_ascii=False))))
            return
        if body["url"] != self.url:
            return
        for number, diff in enumerate(body["diffs"]):
            text = f'{diff["event"]} "{diff["keyword"]}": {diff["text"]}'
            self._print("" if number else "webhook", "yellow", Text(printable(text)))
        self.events |= {diff["event"] for diff in body["diffs"]}
        if self.events == {"added", "removed"}:
            self.complete.set()

    def _print(self, what: str, colour: str, text: Text) -> None:
        self._console.print(Text(f"{what:>8}  ", style=colour), end="")
        self._console.print(text, soft_wrap=True)


def _sentence(region: dict[str, Any], edit: dict[str, Any], side: str) -> str:
    """Return a side of an edit, empty if there is none."""
    sentence = edit[side]
    if sentence is None:
        return ""
    text: str = region[side]["text"][sentence["start"] : sentence["end"]]
    return text


async def run(once: bool, is_shown: bool) -> None:
    """Run the demo until cancelled; ``once``, until an added and a removed notification came.

    ``is_shown`` opens the page in a browser. Raises NothingSeen if the notifications do not
    come in time.
    """
    demo = Demo()
    playground = Playground(demo.received)
    with tempfile.TemporaryDirectory(prefix="vokter-demo-") as folder:
        async with (
            deployment(_settings(Path(folder)), say) as settings,
            playground.open(),
            _shown(settings, demo, playground),
            AsyncExitStack() as stack,
        ):
            demo.url = playground.url(FIRST)
            await _watch_all(settings, playground)
            address = f"http://127.0.0.1:{settings.port}/"
            say(f"Look at it: {address}")
            stack.enter_context(_findable(settings, playground))
            if is_shown:
                await asyncio.to_thread(webbrowser.open, address)
            await (_until_complete(demo) if once else asyncio.Event().wait())
    say("The demo is over; everything has been stopped.")


async def _watch_all(settings: Settings, playground: Playground) -> None:
    for page in reversed(PAGES):  # the newest is listed first
        view = ViewOptions(select=(Selector(css=page.select),)) if page.select else ViewOptions()
        interval = 1 if page is FIRST else OTHERS_INTERVAL_S
        options = Options(interval=interval, ignore_case=True, view=view, tags=(page.tag,))
        receiver, words = Receiver(playground.hook), page.keywords
        request = Subscribe(playground.url(page), receiver, keywords=words, options=options)
        await ask(settings, request)
    say(f"\nWatching {playground.url(FIRST)} every second for: {', '.join(FIRST.keywords)}")
    say(f"Watching {len(OTHERS)} more pages, which the terminal does not show.")


async def _until_complete(demo: Demo) -> None:
    try:
        async with asyncio.timeout(NOTIFIED_TIMEOUT_S):
            await demo.complete.wait()
    except TimeoutError:
        missing = " or ".join(sorted({"added", "removed"} - demo.events))
        raise NothingSeen(
            f"the webhook got no notification of {missing} words within {NOTIFIED_TIMEOUT_S:g} s"
        ) from None


@contextmanager
def _findable(settings: Settings, playground: Playground) -> Iterator[None]:
    """Let commands and programs of other terminals find the demo, if nothing else runs here."""
    users = Settings()
    folder, was_there = users.data_dir, users.data_dir.exists()
    try:
        with_broker(users)
    except NotRunning:
        folder.mkdir(parents=True, exist_ok=True)
        note = replace(RunningDeployment.of(settings), data_dir=str(settings.data_dir))
        note.write(folder)
        say(f"In another terminal: vokter watch {playground.url(OTHERS[0])} '*'\n")
    try:
        yield
    finally:
        forget_deployment(folder)
        if not was_there:
            with suppress(OSError):  # somebody may use it by now
                folder.rmdir()


@asynccontextmanager
async def _shown(settings: Settings, demo: Demo, playground: Playground) -> AsyncIterator[None]:
    """Print fetches and changes, and change the page, in the background."""
    works = (
        _each(settings, FETCHES, demo.fetches),
        _each(settings, CHANGES, demo.changes),
        _changing(playground),
    )
    async with AsyncExitStack() as stack:
        for work in works:
            stack.callback(asyncio.create_task(work).cancel)
        yield


async def _each(settings: Settings, topic: Topic, show: Any) -> None:
    async for line in message_lines(settings, topic):
        show(line)


async def _changing(playground: Playground) -> None:
    others = cycle(OTHERS)
    for number in count(1):
        await asyncio.sleep(CHANGE_EVERY_S)
        playground.change(FIRST)
        if not number % OTHERS_EVERY:
            playground.change(next(others))


def _settings(folder: Path) -> Settings:
    """Return settings apart from the user's: fresh folder, broker or topics, port."""
    users = Settings()
    return Settings(
        data_dir=folder,
        port=free_or_any(users.port),
        topic_prefix=f"vokter-demo-{uuid4().hex[:8]}." if users.kafka else PREFIX,
        min_interval=1,
        host_delay=0,
        partitions=PARTITIONS,
        allow_private=("127.0.0.0/8",),
        verify_webhooks="on",
    )
