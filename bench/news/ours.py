"""Vokter: what its diff and its matching notify of, each keyword in a subscription by itself.

Together they would share the bound of a body, and what one keyword has to say could be cut off
by another that nobody asked for in the same subscription.
"""

from collections.abc import Sequence
from functools import partial

from bench.news.cases import Case
from schemas.records.answers import Heading
from schemas.records.changes import Diff
from schemas.records.field_types import Scope
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher

URL = "https://example.org/"


def notified(case: Case, keywords: list[str], scope: Scope) -> list[tuple[str, str, str]]:
    """Return the keyword, the event and the text of each entry of the notifications."""
    matcher = Matcher(changed_regions(case.old, case.new), case.language)
    return [
        (each.keyword, each.event, each.text)
        for keyword in keywords
        for each in matcher.diffs(_subscription(keyword, scope))[0]
    ]


def diffs_of(
    case: Case, keyword: str, scope: Scope, headings: Sequence[Heading] = ()
) -> tuple[Diff, ...]:
    """Return the entries of the notification of a keyword; ``headings`` are of the new text."""
    matcher = Matcher(changed_regions(case.old, case.new, headings), case.language)
    return matcher.diffs(_subscription(keyword, scope))[0]


def _subscription(keyword: str, scope: Scope) -> Subscription:
    return Subscription(
        id="0" * 26, watch="0" * 26, manager="default", document_url=URL, url=URL,
        receiver=Receiver(URL), keywords=(keyword,), created=0,
        options=Options(scope=scope, notify_dropped=True),
    )  # fmt: skip


of_sentences = partial(notified, scope="sentence")
of_changed_words = partial(notified, scope="change")
