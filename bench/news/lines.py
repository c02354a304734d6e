"""Other ways to find what changed in the text that Vokter reads."""

from collections.abc import Iterable
from difflib import unified_diff

from bench.news.cases import Case
from bench.news.truth import ADDED, REMOVED
from bench.news.words import has

_DMP_TIMEOUT_S = 1.0  # its own default


def changed_lines(case: Case, keywords: list[str]) -> list[tuple[str, str, str]]:
    """Return the lines of a unified diff that have a keyword."""
    diff = list(unified_diff(case.old.splitlines(), case.new.splitlines(), n=0, lineterm=""))[2:]
    events = {"+": ADDED, "-": REMOVED}
    return _with_keyword(
        ((events[each[0]], each[1:]) for each in diff if each[0] in events), keywords
    )


def diff_match_patch_semantic(case: Case, keywords: list[str]) -> list[tuple[str, str, str]]:
    """Return the passages of diff-match-patch's diff, after its semantic clean-up."""
    import fast_diff_match_patch  # noqa: PLC0415  # of the peers: not needed for other ways

    diffs = fast_diff_match_patch.diff(
        case.old, case.new, timelimit=_DMP_TIMEOUT_S, checklines=True, cleanup="Semantic",
        counts_only=False,
    )  # fmt: skip
    events = {"+": ADDED, "-": REMOVED}
    return _with_keyword(((events[op], text) for op, text in diffs if op in events), keywords)


def _with_keyword(
    changed: Iterable[tuple[str, str]], keywords: list[str]
) -> list[tuple[str, str, str]]:
    return [
        (keyword, event, text)
        for event, text in changed
        for keyword in keywords
        if has(text, keyword)
    ]
