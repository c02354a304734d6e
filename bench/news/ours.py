"""Vokter: what its diff and its matching notify of, with the default options."""

from bench.news.cases import Case
from schemas.subscriptions import Options, Receiver, Subscription
from streams.core.diff.regions import changed_regions
from streams.core.matching.matcher import Matcher

URL = "https://example.org/"


def told(case: Case, keywords: list[str]) -> list[tuple[str, str, str]]:
    """Return the keyword, the event and the text of each entry of the notification."""
    subscription = Subscription(
        id="0" * 26, watch="0" * 26, manager="default", document_url=URL, url=URL,
        receiver=Receiver(URL), keywords=tuple(keywords), options=Options(), created=0,
    )  # fmt: skip
    matcher = Matcher(changed_regions(case.old, case.new), case.language)
    diffs, _ = matcher.diffs(subscription)
    return [(each.keyword, each.event, each.text) for each in diffs]
