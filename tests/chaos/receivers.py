"""Receivers as the world has them: quick ones, slow ones, and such as fail now and then."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from aiohttp import web

from tests.harness.hooks import Hook

REFUSED = 500


@dataclass
class Moody(Hook):
    """Answers 500 to the first sight of one notification in ``every``, and takes the second."""

    every: int = 4
    refused: set[str] = field(default_factory=set)

    def status(self, name: str) -> int:
        if int(name, 16) % self.every or name in self.refused:
            return super().status(name)
        self.refused.add(name)
        return REFUSED


@dataclass
class Sorting(Moody):
    """Is notified of several pages; ``parts`` have the POSTs of each page, by its URL.

    A page that a crawl covers is the ``document`` of a body. What is of no page that has a
    part is in all of them, where no change explains it.
    """

    parts: dict[str, Hook] = field(default_factory=dict)

    def part(self, url: str) -> Hook:
        """Add a part."""
        return self.parts.setdefault(url, Hook(self.url))

    def answer(self, headers: Mapping[str, str], raw: bytes) -> web.Response:
        answered = super().answer(headers, raw)
        post = self.posts[-1]
        part = self.parts.get(post.body.get("document", post.body["url"]))
        for each in self.parts.values() if part is None else (part,):
            each.posts.append(post)
        return answered


def receiver(random: Random, url: str) -> Hook:
    """Return a receiver: a seventh of them is slow, another seventh fails now and then."""
    kind = random.randrange(7)
    if kind == 0:
        return Hook(url, delay=random.uniform(0.5, 3.0))
    return Moody(url) if kind == 1 else Hook(url)
