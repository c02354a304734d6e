"""What ``vokter reprocess`` prints: a summary of all pages, and the differences of one."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schemas.codec.times import rfc3339
from schemas.records.reprocessing import ReadAgain, Reprocessed

MAX_NAMED = 5
"""Ids of subscriptions that a line names."""
KEEP = "no body was kept: VOKTER_KEEP_BODIES keeps those of later snapshots"


@dataclass(slots=True)
class ReprocessSummary:
    """What was counted of pages, each in one view."""

    pages: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    unread: int = 0

    def add(self, result: Reprocessed) -> None:
        """Count a page."""
        self.pages += 1
        self.unread += bool(result.unread)
        if result.outcome:
            self.outcomes[result.outcome] += 1
        for each in result.times:
            self.counts.update(_counted(each))

    def lines(self) -> Iterator[str]:
        """Yield what is printed."""
        counts = self.counts
        yield f"        pages  {self.pages:,}, each in one view"
        read = f"{counts['same text']:,} as before, {counts['other text']:,} otherwise"
        failed = f", {counts['problem']:,} cannot be read" if counts["problem"] else ""
        yield f"    snapshots  {read}{failed}"
        if counts["no body"]:
            yield f"               {counts['no body']:,} not read: {KEEP}"
        yield (
            f"      changes  {counts['same change']:,} as before, {counts['new change']:,} new, "
            f"{counts['no change']:,} none any more"
        )
        yield (
            f"notifications  {counts['same']:,} as before, {counts['added']:,} new, "
            f"{counts['removed']:,} none any more"
        )
        for outcome, count in sorted(self.outcomes.items()):
            yield f"  newest text  {count:,}: {outcome}"
        if self.unread:
            yield f"               {self.unread:,} pages took too long: --since reads less of them"


def _counted(each: ReadAgain) -> Counter[str]:
    found = Counter(same=len(each.same), added=len(each.added), removed=len(each.removed))
    if each.problem:
        found["problem"] += 1
    elif each.body_sha256:
        found["other text" if each.edits else "same text"] += 1
    elif each.reader:
        found["no body"] += 1
    if each.is_compared and each.was_change:
        found["same change" if each.is_change else "no change"] += 1
    elif each.is_compared and each.is_change:
        found["new change"] += 1
    return found


def result_json(result: Reprocessed) -> dict[str, Any]:
    """Return what came of a page by REST's names."""
    return {
        "url": result.url,
        "view": result.view,
        "times": list(map(_time_json, result.times)),
        "outcome": result.outcome or None,
        "unread": result.unread or None,
    }


def _time_json(each: ReadAgain) -> dict[str, Any]:
    return {
        "at": rfc3339(each.at),
        "reader": each.reader or None,
        "readerNow": each.reader_now or None,
        "bodySha256": each.body_sha256 or None,
        "edits": each.edits,
        "difference": each.difference,
        "problem": each.problem or None,
        "wasChange": each.was_change,
        "isChange": each.is_change if each.is_compared else None,
        "same": each.same,
        "added": each.added,
        "removed": each.removed,
    }


def page_lines(result: Reprocessed) -> Iterator[str]:
    """Yield the differences of a page in a view; nothing if there are none."""
    several = [line for each in result.times for line in _time_lines(each)]
    if several or result.unread:
        yield f"{result.url} {result.view}".rstrip()
        yield from several
    if result.unread:
        yield f"  {result.unread}"


def _time_lines(each: ReadAgain) -> Iterator[str]:
    found = list(_differences(each))
    if not found:
        return
    readers = f", {each.reader} -> {each.reader_now}" if each.reader_now != each.reader else ""
    digest = f", sha256 {each.body_sha256}" if each.body_sha256 else ""
    yield f"  {rfc3339(each.at)}{readers}{digest}"
    yield from (f"    {line}" for line in found)


def _differences(each: ReadAgain) -> Iterator[str]:
    if each.problem:
        yield f"cannot be read now: {each.problem}"
    if each.edits:
        yield f"{each.edits:,} sentences or lines are read otherwise:"
        yield from each.difference.splitlines()
    if each.is_compared and each.was_change != each.is_change:
        yield "would be a change" if each.is_change else "would be no change"
    for verb, several in (
        ("would be notified", each.added),
        ("would not be notified", each.removed),
    ):
        if several:
            named = ", ".join(several[:MAX_NAMED]) + (", …" if len(several) > MAX_NAMED else "")
            yield f"{verb}: {named}"
