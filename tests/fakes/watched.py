"""A document that changes once, and what one subscription is notified of."""

from typing import Any
from unicodedata import normalize

from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher
from streams.text.language import detect_language

DEFAULTS: dict[str, Any] = {"snippet_offset": 20, "scope": "change"}
Entries = list[tuple[str, str, str, str]]


def notified(
    old: str, new: str, *keywords: str, language: str | None = None, **options: Any
) -> Entries:
    """Return event, keyword, text and snippet of each diff, for who looks at changed words alone.

    The language is detected if not given. The texts are brought into NFKC first, as every
    reader does.
    """
    old, new = normalize("NFKC", old), normalize("NFKC", new)
    matcher = Matcher(changed_regions(old, new), language or detect_language(new))
    found, truncated = matcher.diffs(_subscription(keywords, options))
    assert not truncated
    return [(each.event, each.keyword, each.text, each.snippet) for each in found]


def _subscription(keywords: tuple[str, ...], options: dict[str, Any]) -> Subscription:
    return Subscription(
        id="s",
        watch="w",
        manager="default",
        document_url="http://document.test/",
        url="http://document.test/",
        receiver=Receiver("http://client.test/"),
        keywords=keywords,
        options=Options(**(DEFAULTS | options)),
        created=0,
    )
