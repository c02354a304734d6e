"""The tables that are printed."""

from rich.table import Table

from bench.news.score import ALL, Score
from bench.news.truth import (
    COSMETIC,
    DUE,
    JUDGED,
    MOVED,
    NOT_DUE,
    REPLACED,
    TWO,
    UNCHANGED,
    UNJUDGED,
)  # fmt: skip

_COLUMNS = ("recall", "precision", "F1", "missed", "replaced", "moved only", "unchanged",
            "AND of two items", "cosmetic", "judged", "ms", "pairs", "questions")  # fmt: skip


def summary(scores: dict[str, Score]) -> Table:
    """Return a line per way."""
    table = Table("way", *_COLUMNS, title="in percent; CPU in milliseconds")
    for name, score in scores.items():
        shares = [score.share(ALL, [each]) for each in (REPLACED, MOVED, UNCHANGED, TWO, COSMETIC)]
        table.add_row(
            name, f"{score.recall():.1f}", f"{score.precision():.1f}", f"{score.f1():.1f}",
            f"{100 * score.missed / max(score.followed, 1):.1f}",
            *(f"{share:.1f}" for share in shares), f"{score.agreement():.1f}",
            f"{1000 * score.seconds / max(score.pairs, 1):.2f}", f"{score.pairs:,}",
            f"{sum(n for (kind, _), n in score.asked.items() if kind == ALL):,}",
        )  # fmt: skip
    return table


def by_class(scores: dict[str, Score]) -> Table:
    """Return the share that each way notified of, by class."""
    first = next(iter(scores.values()))
    table = Table("class", "questions", *scores, title="notified, in percent, by class")
    groups = (
        ("due", DUE),
        ("not due", NOT_DUE),
        ("not judged", UNJUDGED),
        ("by hand", tuple(JUDGED.values())),
    )
    for label, names in groups:
        for name in names:
            shares = (f"{score.share(ALL, [name]):.1f}" for score in scores.values())
            table.add_row(f"{label}: {name}", f"{first.asked[ALL, name]:,}", *shares)
    return table


def by_kind(scores: dict[str, Score]) -> Table:
    """Return recall, precision and F1 of each way, by kind of page."""
    first = next(iter(scores.values()))
    table = Table("kind", "due", *scores, title="recall / precision / F1 by kind of page")
    for kind in first.kinds:
        due = sum(first.asked[kind, name] for name in DUE)
        values = (
            f"{score.recall(kind):.1f} / {score.precision(kind):.1f} / {score.f1(kind):.1f}"
            for score in scores.values()
        )
        table.add_row(kind, f"{due:,}", *values)
    return table
