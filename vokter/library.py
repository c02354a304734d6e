"""The public names of ``vokter``, which loads them when a program asks for the first one."""

from connectors.client.errors import (
    AlreadyWatched,
    InvalidRequest,
    InvalidSession,
    InvalidUrl,
    NoAnswerInTime,
    NoKeyword,
    NothingToReport,
    NotWatched,
    Paused,
    RequestRejected,
    Unreachable,
    VokterError,
)
from connectors.client.manager import JobManager
from connectors.client.session import Match, Matches, Session
from connectors.display.explanations import returned_text, stood_text
from connectors.display.html import entries_html as matches_html
from connectors.display.plain import entries_text as matches_text
from connectors.kafka.access import Access
from schemas.records.crawls import CrawlOptions
from schemas.records.numbers import Conditions, NumberNews, NumberOptions
from schemas.records.subscriptions import Options
from schemas.records.views import Quote, Selector, ViewOptions

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
    "Paused",
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
