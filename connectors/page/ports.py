"""Ports of the page: its reads and requests, shared with REST, and the access to the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.dead_letters.recent import DeadLetterDesk
from connectors.kafka.live import Live
from connectors.page.add.adding import AddPorts
from connectors.page.news.channel_forms import ChannelPorts
from connectors.page.news.suppressed import LookUpModelUse
from connectors.page.operate.pipeline_view import PipelinePorts
from connectors.page.session.signing_in import Team
from connectors.page.watch.asked_watch import WatchPorts
from connectors.page.watch.change import LoadEvidence
from connectors.reads.change_search import ChangeSearches
from connectors.reads.covered_pages import CoveredPages
from connectors.reads.deployment_health import HealthReader
from connectors.reads.next_checks import NextChecks
from connectors.reads.trial_limits import BacktestLimits, TrialLimits
from connectors.requests.outcomes import ClientRequests
from connectors.requests.redelivery import Redelivery
from connectors.requests.suppressed import SuppressedNews
from connectors.serving.stream_slots import StreamSlots


@dataclass(frozen=True, slots=True)
class PagePorts(WatchPorts):
    """The reads of the whole page, by the functions with which REST reads.

    ``max_failures`` is the deployment's number of failures in a row; changes are kept for
    ``kept_days``.
    """

    evidence: LoadEvidence
    next_checks: NextChecks
    crawled: CoveredPages
    searches: ChangeSearches
    live: Live
    slots: StreamSlots
    jobs: ClientRequests
    redelivery: Redelivery
    suppressed: SuppressedNews
    model_use: LookUpModelUse
    letters: DeadLetterDesk
    trials: TrialLimits
    backtests: BacktestLimits
    adding: AddPorts
    channels: ChannelPorts
    health: HealthReader
    pipeline: PipelinePorts
    max_failures: int
    kept_days: int


@dataclass(frozen=True, slots=True)
class PageAccess:
    """The access to the page.

    ``clock`` returns epoch seconds, ``monotonic`` seconds; ``proxies`` are networks.
    """

    keys: ApiKeys
    rates: CallRates
    signing_key: bytes
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    proxies: Sequence[str] = ()
    team: Team | None = None
