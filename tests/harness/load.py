"""Many documents that change again and again, and a model of who must be notified of what.

Version n of a document contains ``mark-n`` and whether n is odd or even. By that mark
a receiver knows which version it was notified of.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tests.harness.hooks import Hook, Hooks
from tests.harness.pages import Page, Pages
from tests.harness.rest import Rest
from tests.harness.waiting import until

MARK = re.compile(r"mark(\d+)")


@dataclass(frozen=True, slots=True)
class Watcher:
    """A subscription of one document: to any change, to every other version, or to none.

    ``river`` is in every version, so no version adds or removes it.
    """

    page: Page
    hook: Hook
    word: str

    def expected(self, versions: int) -> set[int]:
        """The versions to be notified of; the first one is the baseline."""
        parity = {"*": (0, 1), "even": (0,), "odd": (1,), "river": ()}[self.word]
        return {version for version in range(2, versions + 1) if version % 2 in parity}

    @property
    def url(self) -> str:
        """The document that its notifications name."""
        return self.page.url

    def diffs(self, version: int) -> list[tuple[str, str, str]]:
        """What it is notified of a version: event, keyword and text."""
        added = ("added", self.word, passage(version))
        gone = ("removed", self.word, passage(version - 1))
        return [gone, added] if self.word == "*" else [added]

    def notified(self) -> dict[int, set[str]]:
        """The versions it was notified of, each with the ids of the notifications."""
        notified = defaultdict(set)
        for post in self.hook.posts:
            marks = [MARK.search(d["text"]) for d in post.body["diffs"] if d["event"] == "added"]
            notified[next(int(mark[1]) for mark in marks if mark)].add(post.id)
        return notified


def text(version: int) -> str:
    """Return one version of a document: a changed passage among unchanged ones."""
    return f"<p>The giant sleeps.</p><p>{passage(version)}</p><p>The river flows.</p>"


def passage(version: int) -> str:
    """Return the passage that only this version contains."""
    return f"mark{version} {'odd' if version % 2 else 'even'}"


async def watch(
    rest: Rest, pages: Pages, hooks: Hooks, documents: int, hosts: int
) -> list[Watcher]:
    """Subscribe three receivers to each document."""
    watchers = []
    for number in range(documents):
        page = pages.add(text(1), host=number % hosts)
        watchers += [Watcher(page, hooks.add(), word) for word in ("*", "odd", "even")]
    await subscribe(rest, watchers)
    return watchers


async def subscribe(rest: Rest, watchers: Iterable[Watcher], interval: int = 1) -> None:
    """Subscribe all of them, many at a time."""
    slots = asyncio.Semaphore(20)

    async def one(watcher: Watcher) -> None:
        async with slots:
            only = {} if watcher.word == "*" else {"ignoreRemoved": True}
            page, hook = watcher.page.url, watcher.hook.url
            await rest.subscribe(page, hook, watcher.word, interval=interval, **only)

    async with asyncio.TaskGroup() as group:
        for watcher in watchers:
            group.create_task(one(watcher))


def plant(watchers: Iterable[Watcher], versions: int) -> None:
    """Add so many versions to every document; each follows when the last one is stored."""
    for page in {watcher.page.url: watcher.page for watcher in watchers}.values():
        for _ in range(versions):
            page.upcoming.append(text(page.planned + 1))


def posts(watchers: Iterable[Watcher]) -> int:
    """Count the POSTs so far, repeated ones too."""
    return sum(len(watcher.hook.posts) for watcher in watchers)


async def done(watchers: Iterable[Watcher], versions: int) -> None:
    """Wait until everybody was notified of everything, once by its id and bytes."""
    missing = {watcher.hook.url: watcher for watcher in watchers}

    def complete() -> bool:
        for name, watcher in list(missing.items()):
            if watcher.notified().keys() >= watcher.expected(versions):
                del missing[name]
        return not missing

    try:
        await until(complete, "everybody is notified")
    except AssertionError:
        lacks = {w.hook.url: w.expected(versions) - w.notified().keys() for w in missing.values()}
        raise AssertionError(f"never notified: {lacks}") from None
    for watcher in watchers:
        notified = watcher.notified()
        assert notified.keys() == watcher.expected(versions), (
            f"{watcher.word} of {watcher.page.url}"
        )
        assert all(len(ids) == 1 for ids in notified.values()), (
            "a duplicate has the same webhook-id"
        )
        contents = {(post.id, post.raw) for post in watcher.hook.posts}
        assert len(contents) == len(notified), "a duplicate has the same bytes"
