"""Every metric that is counted while events go by, on one page; docs/metrics.md is its table.

What is looked up at a scrape only is in ``streams/engine/gauges.py``.
"""

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

# A time for each series would double what is scraped.
disable_created_metrics()  # type: ignore[no-untyped-call]  # it is what it is

Labels = tuple[str, ...]

HANDLED, RETRIED, DEAD_LETTER = "handled", "retried", "dead_letter"
"""Outcomes of an event."""
SECONDS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LATENCY = (*SECONDS, 60, 300, 1800, 7200, 86_400)
RECOVERY = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Children(dict[Labels, Counter]):
    """A counter by its labels: each child is bound once, which costs ten times a look-up here."""

    def __init__(self, counter: Counter) -> None:
        """Start without any."""
        super().__init__()
        self._counter = counter

    def __missing__(self, labels: Labels) -> Counter:
        """Bind a child."""
        child = self[labels] = self._counter.labels(*labels)
        return child


def _children(name: str, text: str, labels: Labels, registry: CollectorRegistry) -> Children:
    return Children(Counter(name, text, labels, registry=registry))


class StageMetrics:
    """What the engine counts of any stage."""

    def __init__(self, stage: str, registry: CollectorRegistry) -> None:
        """Register at once; a registry has room for one of them."""
        self._stage = stage
        self._events = _children(
            "vokter_events",
            "Messages that a stage has decided on, and how that ended.",
            ("stage", "topic", "outcome"),
            registry,
        )
        self._sent = _children(
            "vokter_sent",
            "Records that a stage has published.",
            ("stage", "topic", "record"),
            registry,
        )
        self._recovery = Histogram(
            "vokter_recovery_seconds",
            "From an assignment of partitions until their first message was read.",
            ("stage",),
            registry=registry,
            buckets=RECOVERY,
        ).labels(stage)

    def event(self, topic: str, outcome: str) -> None:
        """Count a message of an input topic (without prefix)."""
        self._events[self._stage, topic, outcome].inc()

    def sent(self, topic: str, record: str) -> None:
        """Count an output on a topic (without prefix) by the name of its record."""
        self._sent[self._stage, topic, record].inc()

    def recovered(self, seconds: float) -> None:
        """Note how long partitions took to be taken up."""
        self._recovery.observe(seconds)


class FetchMetrics:
    """What comes of fetches, and of the pages that they bring."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register at once."""
        self._fetches = _children(
            "vokter_fetches", "Requests for documents by outcome.", ("outcome",), registry
        )
        self._pages = _children(
            "vokter_pages",
            "New pages that were read and compared, or could not be.",
            ("outcome",),
            registry,
        )
        self._seconds = Histogram(
            "vokter_fetch_seconds",
            "Time that requests for documents took, redirects included.",
            registry=registry,
            buckets=SECONDS,
        )

    def fetched(self, outcome: str, seconds: float) -> None:
        """Count a request for a document."""
        self._fetches[outcome,].inc()
        self._seconds.observe(seconds)

    def page(self, outcome: str) -> None:
        """Count a page that was read, or why it was not."""
        self._pages[outcome,].inc()


class DeliverMetrics:
    """What comes of POSTs to receivers."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register at once."""
        self._posts = _children(
            "vokter_posts", "Attempts to tell a receiver by outcome.", ("outcome",), registry
        )
        self._challenges = _children(
            "vokter_challenges", "Challenges of receivers by outcome.", ("outcome",), registry
        )
        self._latency = Histogram(
            "vokter_latency_seconds",
            "From the fetch that saw a change to the receiver's answer.",
            registry=registry,
            buckets=LATENCY,
        )

    def posted(self, outcome: str) -> None:
        """Count an attempt."""
        self._posts[outcome,].inc()

    def delivered(self, age: float) -> None:
        """Note how old (s) a change was when its receiver had taken it."""
        self._latency.observe(age)

    def challenged(self, outcome: str) -> None:
        """Count a challenge."""
        self._challenges[outcome,].inc()


class ApiMetrics:
    """What comes of calls of the REST API."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register at once."""
        self._calls = _children(
            "vokter_api_calls",
            "Calls of the REST API by path and HTTP status.",
            ("path", "status"),
            registry,
        )
        self._seconds = Histogram(
            "vokter_api_seconds",
            "Time that calls of the REST API took.",
            registry=registry,
            buckets=SECONDS,
        )

    def called(self, path: str, status: int, seconds: float) -> None:
        """Count a call; ``path`` is the route's, so that there are few."""
        self._calls[path, str(status)].inc()
        self._seconds.observe(seconds)
