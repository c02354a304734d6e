"""Vokter: what its diff and its matching notify of, each keyword in a subscription by itself.

Together they would share the bound of a body, and what one keyword has to say could be cut off
by another that nobody asked for in the same subscription.
"""

from collections import Counter
from functools import partial

from bench.news.cases import Case
from schemas.records.changes import Diff
from schemas.records.field_types import Scope
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher
from streams.text.units import unit_texts

_LABEL = 5
URL = "https://example.org/"


def notified(case: Case, keywords: list[str], scope: Scope) -> list[tuple[str, str, str]]:
    """Return the keyword, the event and the text of each entry of the notifications."""
    matcher = _matcher(case)
    options = Options(scope=scope, notify_dropped=True)
    return [
        (each.keyword, each.event, each.text)
        for keyword in keywords
        for each in matcher.diffs(_subscription(keyword, options))[0]
    ]


def whole_sentences(case: Case) -> tuple[int, int]:
    """Count the sentences that came or went, and those that stand equally often on both sides.

    Labels, of less than five words, come and go with their items.
    """
    old, new = (Counter(unit_texts(text)) for text in (case.old, case.new))
    found = [
        place.text[each.start : each.end]
        for region in changed_regions(case.old, case.new, case.headings)
        for edit in region.edits
        for each, place in ((edit.removed, region.removed), (edit.added, region.added))
        if edit.change in ("removed", "added") and each is not None and place is not None
    ]
    whole = (text for text in found if len(text.split()) >= _LABEL)
    return len(found), sum(1 for text in whole if old[text] == new[text] > 0)


def diffs_of(case: Case, keyword: str) -> tuple[Diff, ...]:
    """Return the entries of the notification of a keyword."""
    return _matcher(case).diffs(_subscription(keyword, Options()))[0]


def _matcher(case: Case) -> Matcher:
    return Matcher(changed_regions(case.old, case.new, case.headings), case.language)


def _subscription(keyword: str, options: Options) -> Subscription:
    return Subscription(
        id="0" * 26, watch="0" * 26, manager="default", document_url=URL, url=URL,
        receiver=Receiver(URL), keywords=(keyword,), created=0,
        options=options,
    )  # fmt: skip


of_sentences = partial(notified, scope="sentence")
of_changed_words = partial(notified, scope="change")
