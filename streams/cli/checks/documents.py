"""Judges documents for ``vokter doctor``: waiting, failing, lost or flapping documents."""

from collections import Counter
from collections.abc import Sequence

from schemas.records.documents import FailingDocument, FlappingDocument, LostDocument, PageWait
from schemas.records.urls import host
from streams.cli.checks.finding import Finding, Level
from streams.cli.durations import shown_duration
from streams.cli.output import printable

TOLERATED_WAIT_S = 60
MOST_COUNTED = 1_000
"""The most documents to count, of the waiting, failing, lost or flapping."""


def judge_waits(waits: Sequence[PageWait], now: int) -> Finding:
    """Judge which documents wait for their fetch, oldest first, at ``now`` (epoch ms)."""
    if not waits:
        return Finding(Level.OK, "fetches", "no document waits")
    oldest = waits[0]
    seconds = max(0, now - oldest.since) // 1000
    ((most, count),) = Counter(host(wait.url) for wait in waits).most_common(1)
    of_host = f" ({count} of {most})" if count > 1 else ""
    text = (
        f"documents that are due and wait: {len(waits)}{_more(waits)}{of_host}; "
        f"the first, {oldest.url}, for {seconds} s: {oldest.reason}"
    )
    level = Level.WARNING if seconds > TOLERATED_WAIT_S else Level.OK
    remedy = "Watch this host at longer intervals; VOKTER_HOST_DELAY is for sites of your own."
    is_host = level is Level.WARNING and "its host" in oldest.reason
    return Finding(level, "fetches", text, remedy if is_host else "")


def judge_failures(failing: Sequence[FailingDocument], *, has_good: bool) -> Finding:
    """Judge the documents with a failed last fetch, the most failures first.

    ``has_good`` says whether any other did not. A document counts once, even with failures in
    several views.
    """
    if not failing:
        return Finding(Level.OK, "documents", "none failed at its last fetch")
    first = failing[0]
    text = (
        f"failed at their last fetch: {len({each.url for each in failing})}{_more(failing)}; "
        f"the first, {first.url} (failures in a row: {first.failures}): {printable(first.error)}"
    )
    reasons = "List them with their reasons: vokter list --failing"
    if has_good:
        return Finding(Level.WARNING, "documents", text, reasons)
    remedy = (
        f"Check whether this machine reaches them: network, proxy, VOKTER_ALLOW_PRIVATE. {reasons}"
    )
    return Finding(Level.ERROR, "documents", f"all {text}", remedy)


def judge_losses(lost: Sequence[LostDocument], now: int) -> Finding:
    """Judge the documents with a lost part or login at ``now``.

    The longest loss comes first; times are epoch ms.
    """
    if not lost:
        return Finding(Level.OK, "losses", "no document lacks what is watched in it")
    first = lost[0]
    ago = shown_duration(max(60, (now - first.since) // 60_000 * 60))
    text = (
        f"pages without what is watched in them: {len({each.url for each in lost})}{_more(lost)}; "
        f"the first, {first.url}, for {ago}: {printable(first.reason)}"
    )
    remedy = (
        "Change the view so that vokter try finds it, or set the credentials again. "
        "List them: vokter list --lost"
    )
    return Finding(Level.WARNING, "losses", text, remedy)


def judge_returns(flapping: Sequence[FlappingDocument]) -> Finding:
    """Judge the documents which keep going back to earlier texts."""
    if not flapping:
        return Finding(Level.OK, "returns", "no document keeps going back to earlier texts")
    text = (
        "pages that go back to earlier texts three times a day or more: "
        f"{len({each.url for each in flapping})}{_more(flapping)}; the first, {flapping[0].url}"
    )
    remedy = (
        "Such a page has variants, or its servers have different copies. Set ignoreReturns in its "
        "subscriptions, or watch the address of one variant. List them: vokter list --flapping"
    )
    return Finding(Level.WARNING, "returns", text, remedy)


def _more(counted: Sequence[object]) -> str:
    return " or more" if len(counted) >= MOST_COUNTED else ""
