"""Counts the answers of a way: by class, and as recall, precision and F1."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.news.truth import DUE, JUDGED, NOT_DUE, Question

ALL = "all"


@dataclass
class Score:
    """What a way answered, by kind and class of the question."""

    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    notified: Counter[tuple[str, str]] = field(default_factory=Counter)
    followed: int = 0
    """Keywords, per pair, of which an event is due."""
    missed: int = 0
    """Those of which nothing was notified."""
    seconds: float = 0.0
    pairs: int = 0

    def add(self, kind: str, questions: Sequence[Question], notified: set[tuple[str, str]]) -> None:
        """Count the answers about one pair."""
        due = {keyword for keyword, _, name in questions if name in DUE}
        self.followed += len(due)
        self.missed += len(due - {keyword for keyword, _ in notified})
        for keyword, event, name in questions:
            for each in (kind, ALL):
                self.asked[each, name] += 1
                self.notified[each, name] += (keyword, event) in notified

    def recall(self, kind: str = ALL) -> float:
        """Return the share of what is due that was notified, in percent."""
        return self.share(kind, DUE)

    def precision(self, kind: str = ALL) -> float:
        """Return the share of what was notified that is due, in percent."""
        due, other = (_sum(self.notified, kind, names) for names in (DUE, NOT_DUE))
        return 100 * due / (due + other) if due + other else 0.0

    def f1(self, kind: str = ALL) -> float:
        """Return the harmonic mean of both."""
        recall, precision = self.recall(kind), self.precision(kind)
        return 2 * recall * precision / (recall + precision) if recall + precision else 0.0

    def share(self, kind: str, names: Iterable[str]) -> float:
        """Return the share of the questions of some classes that were notified, in percent."""
        asked = _sum(self.asked, kind, names)
        return 100 * _sum(self.notified, kind, names) / asked if asked else 0.0

    def agreement(self) -> float:
        """Return the share of the samples judged yes or no that it answers alike, in percent."""
        yes, no = (self.asked[ALL, JUDGED[verdict]] for verdict in ("yes", "no"))
        right = self.notified[ALL, JUDGED["yes"]] + no - self.notified[ALL, JUDGED["no"]]
        return 100 * right / (yes + no) if yes + no else 0.0

    @property
    def kinds(self) -> list[str]:
        """The kinds of pages that were asked about."""
        return sorted({kind for kind, _ in self.asked} - {ALL})


def _sum(counts: Counter[tuple[str, str]], kind: str, names: Iterable[str]) -> int:
    return sum(counts[kind, name] for name in names)
