"""What the page asks of the rest of the API, and who may see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from connectors.api.access.keys import ApiKeys
from connectors.api.access.rates import CallRates
from connectors.api.backtests import BacktestHandler
from connectors.api.crawled_pages import CrawledPagesHandler
from connectors.api.health import HealthHandler
from connectors.api.history.evidence import EvidenceHandlers
from connectors.api.history.places import StreamPlaces
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import ListingHandlers
from connectors.api.redelivery import Redelivery
from connectors.api.trials import TrialHandler
from connectors.dead_letters.recent import DeadLetterDesk
from connectors.kafka.live import Live
from connectors.page.adding import AddPorts
from connectors.page.channels import ChannelPorts
from connectors.page.pipeline import PipelinePorts
from connectors.page.team import Team
from connectors.page.timeline import ChangeRows
from connectors.page.watching import CompareTexts, NotificationId
from connectors.stores.ports import FactReader, SubscriptionReader, TextReader


@dataclass(frozen=True, slots=True)
class PagePorts:
    """What the page shows, by the functions with which REST reads.

    ``max_failures`` is the deployment's number of failures in a row; changes are kept for
    ``kept_days``.
    """

    subscriptions: SubscriptionReader
    facts: FactReader
    texts: TextReader
    evidence: EvidenceHandlers
    listing: ListingHandlers
    crawled: CrawledPagesHandler
    live: Live
    places: StreamPlaces
    jobs: RequestHandlers
    redelivery: Redelivery
    letters: DeadLetterDesk
    trials: TrialHandler
    backtests: BacktestHandler
    adding: AddPorts
    channels: ChannelPorts
    health: HealthHandler
    pipeline: PipelinePorts
    notification_id: NotificationId
    rows: ChangeRows
    compare: CompareTexts
    max_failures: int
    kept_days: int


@dataclass(frozen=True, slots=True)
class Access:
    """Who may see the page.

    ``clock`` returns epoch seconds, ``monotonic`` seconds; ``proxies`` are networks.
    """

    keys: ApiKeys
    rates: CallRates
    signing_key: bytes
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    proxies: Sequence[str] = ()
    team: Team | None = None
