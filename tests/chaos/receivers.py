"""Receivers as the world has them: quick ones, slow ones, and such as fail now and then."""

from dataclasses import dataclass, field
from random import Random

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


def receiver(random: Random, url: str) -> Hook:
    """Return a receiver: a seventh of them is slow, another seventh fails now and then."""
    kind = random.randrange(7)
    if kind == 0:
        return Hook(url, delay=random.uniform(0.5, 3.0))
    return Moody(url) if kind == 1 else Hook(url)
