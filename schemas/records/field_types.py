"""The kinds of values in records, each with its limits."""

import re
from typing import Annotated

from schemas.records.channels import CHANNEL
from schemas.records.fields import About
from schemas.records.urls import MAX_URL

MAX_INTERVAL = 10 * 365 * 24 * 3600
"""Seconds."""
MAX_PATIENCE = 30 * 24 * 3600
"""The most seconds of patience."""
MAX_PATIENCE_VISITS = 100
"""The most visits of patience."""
MAX_HOURS = 200
"""Characters of the hours at which a client wants to be notified."""
MAX_PER_DAY = 1_000
"""The most notifications of a subscription wanted at once per day."""
MAX_RULE = 500
"""Characters of a rule in plain words."""
MAX_WISH = 200
"""The most characters of a wish for summaries."""
MAX_HELD = 7 * 24 * 3600
"""The most seconds of a notification's wait for its judgement."""
MAX_BECAUSE = 200
"""Characters of why a notification is passed or suppressed."""
MAX_SUMMARY = 1_000
"""Characters of a summary."""
MAX_FAILING_AFTER = 20
"""Failures in a row after which a client may want to be notified of them."""
MAX_SNIPPET_OFFSET = 200
"""Characters."""
MAX_TIME = 253_402_300_799_999
"""Epoch ms: the end of the year 9999, the last in RFC 3339."""
MAX_NAME = 256
"""Characters of an id, a manager, a session, or a content type of a client."""
MAX_TITLE = 300
"""Characters of a page's title."""
MAX_TEXT = 10_000
"""Characters of a reason, or of a content type of a server."""
MAX_ANSWER_START = 200
"""The kept bytes of a receiver's answer."""

# Only the shape that agents rely on: a full check of the canonical form takes ten times as long.
_URL = re.compile(r"https?://[!-.0-~]+/[!-~]*")


def is_url(value: str) -> bool:
    """Return whether a text looks like a canonical http or https URL."""
    return len(value) <= MAX_URL and _URL.fullmatch(value) is not None


Url = Annotated[str, About(most=MAX_URL, pattern=_URL, allowed="an http or https URL")]
"""A canonical URL."""
MAX_LINKS = 2_000
"""The most links of a page to follow."""
Links = Annotated[
    tuple[str, ...],
    About(
        most=MAX_URL,
        most_items=MAX_LINKS,
        pattern=_URL,
        allowed=f"at most {MAX_LINKS} http or https URLs",
    ),
]
"""Canonical URLs."""
Document = Annotated[
    str,
    About(
        most=MAX_URL,
        pattern=re.compile(f"{_URL.pattern}|pages:[!-~]+"),
        allowed="an http or https URL, or pages:…",
    ),
]
"""The aim of a subscription: the canonical URL of a document, or some of a manager's pages."""
ClientUrl = Annotated[
    str,
    About(
        most=MAX_URL,
        pattern=re.compile(f"{_URL.pattern}|{CHANNEL.pattern}"),
        allowed="an http or https URL, or channel:NAME",
    ),
]
"""The canonical URL of a webhook, or ``channel:NAME``."""
Id = Annotated[
    str, About(most=MAX_NAME, printable=True, allowed=f"at most {MAX_NAME} printable characters")
]
"""A hexadecimal content hash; a language is short and printable, too."""
Name = Annotated[str, About(most=MAX_NAME, allowed=f"at most {MAX_NAME} characters")]
"""A manager or a session, as named by its client, or a content type of a client."""
Hours = Annotated[str, About(most=MAX_HOURS, allowed=f"at most {MAX_HOURS} characters")]
"""Hours for notifications, as written by a client."""
Title = Annotated[str, About(most=MAX_TITLE, allowed=f"at most {MAX_TITLE} characters")]
"""The title of a page."""
Text = Annotated[str, About(most=MAX_TEXT, allowed=f"at most {MAX_TEXT} characters")]
"""A reason, or a content type of a server."""
Because = Annotated[str, About(most=MAX_BECAUSE, allowed=f"at most {MAX_BECAUSE} characters")]
"""The reason of a language model to pass or suppress a notification, in a sentence."""
Summary = Annotated[str, About(most=MAX_SUMMARY, allowed=f"at most {MAX_SUMMARY} characters")]
"""A summary by a language model."""
AnswerStart = Annotated[
    str, About(most=MAX_ANSWER_START, allowed=f"at most {MAX_ANSWER_START} characters")
]
"""The beginning of the body of a receiver's answer, unchanged."""
Time = Annotated[int, About(least=0, most=MAX_TIME, allowed="a time from 1970 to 9999, in ms")]
"""Epoch milliseconds."""
Count = Annotated[int, About(least=0, most=2**31, allowed="a count")]
Seconds = Annotated[int, About(least=1, most=MAX_INTERVAL, unit="seconds")]
"""An interval."""
Statuses = Annotated[
    tuple[int, ...],
    About(
        "Take a page with one of these HTTP statuses for content.",
        least=400,
        most=599,
        most_items=20,
        allowed="at most 20 statuses from 400 to 599",
    ),
]
"""HTTP statuses."""
GivenUrl = Annotated[str, About(most=MAX_URL, allowed=f"at most {MAX_URL} characters")]
"""A URL as sent by its client."""
DiffEvent = Annotated[
    str, About(pattern=re.compile("added|removed"), allowed="'added' or 'removed'")
]
ChangeKind = Annotated[
    str,
    About(
        pattern=re.compile("added|removed|edited|moved"),
        allowed="'added', 'removed', 'edited' or 'moved'",
    ),
]
NoiseKind = Annotated[
    str,
    About(
        pattern=re.compile("|numbers|times|ids|form"),
        allowed="'', 'numbers', 'times', 'ids' or 'form'",
    ),
]
"""The only difference in an edited sentence; empty: words differ, too."""
Scope = Annotated[
    str,
    About(
        "Where all words of a keyword must be.",
        choices=("sentence", "change", "block", "document"),
        allowed="'sentence', 'change', 'block' or 'document'",
    ),
]
"""The place in which a keyword is looked for."""
NotificationStatus = Annotated[
    str,
    About(
        pattern=re.compile("ok|timeout|failing|recovered|lost|found|pageAdded|pageRemoved"),
        allowed="'ok', 'timeout', 'failing', 'recovered', 'lost', 'found', 'pageAdded' or "
        "'pageRemoved'",
    ),
]
