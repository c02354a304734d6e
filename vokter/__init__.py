"""Vokter for Python programs: watch documents and handle notifications of their changes.

Begin with JobManager; examples/library.py is a complete program.
"""

from connectors.client.errors import (
    AlreadyWatched,
    InvalidRequest,
    InvalidSession,
    InvalidUrl,
    NoAnswerInTime,
    NoKeyword,
    NothingToReport,
    NotWatched,
    RequestRejected,
    Unreachable,
    VokterError,
)
from connectors.client.manager import JobManager
from connectors.client.session import Match, Matches, Session
from connectors.kafka.access import Access
from schemas.crawls import CrawlOptions
from schemas.display.html import entries_html as matches_html
from schemas.display.plain import entries_text as matches_text
from schemas.display.returns import returned_text
from schemas.display.standing import stood_text
from schemas.numbers import Conditions, NumberNews, NumberOptions
from schemas.subscriptions import Options
from schemas.views import Quote, Selector, ViewOptions

__all__ = [
    "Access",
    "AlreadyWatched",
    "Conditions",
    "CrawlOptions",
    "InvalidRequest",
    "InvalidSession",
    "InvalidUrl",
    "JobManager",
    "Match",
    "Matches",
    "NoAnswerInTime",
    "NoKeyword",
    "NotWatched",
    "NothingToReport",
    "NumberNews",
    "NumberOptions",
    "Options",
    "Quote",
    "RequestRejected",
    "Selector",
    "Session",
    "Unreachable",
    "ViewOptions",
    "VokterError",
    "matches_html",
    "matches_text",
    "returned_text",
    "stood_text",
]
