"""All counted metrics; docs/metrics.md has their table.

The gauges, which are looked up at a scrape, are in ``gauges.py``, ``waiting.py`` and
``model_use.py``.
"""

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

# A creation time for each series would double the size of a scrape.
disable_created_metrics()  # type: ignore[no-untyped-call]  # it has no annotations

Labels = tuple[str, ...]

HANDLED, RETRIED, DEAD_LETTER = "handled", "retried", "dead_letter"
"""Outcomes of an event."""
FLAPPING_METRIC = "vokter_flapping_changes"
LATENCY_METRIC = "vokter_latency_seconds"
SECONDS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
LATENCY = (*SECONDS, 60, 300, 1800, 7200, 86_400)
RECOVERY = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)


class Children(dict[Labels, Counter]):
    """A counter's children by their labels.

    Binding a child costs ten times as much as a look-up here, so each is bound once.
    """

    def __init__(self, counter: Counter) -> None:
        """Begin without children."""
        super().__init__()
        self._counter = counter

    def __missing__(self, labels: Labels) -> Counter:
        """Bind the child of new labels."""
        child = self[labels] = self._counter.labels(*labels)
        return child


def _children(name: str, text: str, labels: Labels, registry: CollectorRegistry) -> Children:
    return Children(Counter(name, text, labels, registry=registry))


class AgentMetrics:
    """Counters of every agent, for all agents of a process.

    >>> metrics = AgentMetrics(CollectorRegistry())
    >>> metrics.event("fetch", "fetches", HANDLED)
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics; a registry accepts them only once."""
        self._events = _children(
            "vokter_events",
            "Messages that an agent has processed, by outcome.",
            ("agent", "topic", "outcome"),
            registry,
        )
        self._sent = _children(
            "vokter_sent",
            "Records that an agent has published, by kind.",
            ("agent", "topic", "record"),
            registry,
        )
        self._recovery = Histogram(
            "vokter_recovery_seconds",
            "Time from an assignment of partitions until reading began.",
            ("agent",),
            registry=registry,
            buckets=RECOVERY,
        )

    def event(self, agent: str, topic: str, outcome: str) -> None:
        """Count a message read by an agent from a topic (without prefix)."""
        self._events[agent, topic, outcome].inc()

    def sent(self, agent: str, topic: str, record: str) -> None:
        """Count a record published by an agent on a topic (without prefix), by its name."""
        self._sent[agent, topic, record].inc()

    def recovered(self, agent: str, seconds: float) -> None:
        """Record the time until an agent's new partitions were read."""
        self._recovery.labels(agent).observe(seconds)


class FetchMetrics:
    """Counters of fetches, and of the pages fetched."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._fetches = _children(
            "vokter_fetches", "Requests for documents, by outcome.", ("outcome",), registry
        )
        self._pages = _children(
            "vokter_pages",
            "Changed pages, by the outcome of reading and comparing them.",
            ("outcome",),
            registry,
        )
        self._flapping = Counter(
            FLAPPING_METRIC,
            "Changes of pages that go back to earlier texts three times a day or more.",
            registry=registry,
        )
        self._seconds = Histogram(
            "vokter_fetch_seconds",
            "Duration of requests for documents, including redirects.",
            registry=registry,
            buckets=SECONDS,
        )

    def fetched(self, outcome: str, seconds: float) -> None:
        """Count a request for a document."""
        self._fetches[outcome,].inc()
        self._seconds.observe(seconds)

    def page(self, outcome: str) -> None:
        """Count a page, read or not."""
        self._pages[outcome,].inc()

    def flapped(self) -> None:
        """Count a change of a flapping page."""
        self._flapping.inc()


class DeliverMetrics:
    """Counters of POSTs to receivers."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._posts = _children(
            "vokter_posts",
            "Attempts to deliver a notification, by outcome.",
            ("outcome",),
            registry,
        )
        self._challenges = _children(
            "vokter_challenges", "Challenges of receivers, by outcome.", ("outcome",), registry
        )
        self._latency = Histogram(
            LATENCY_METRIC,
            "Time from the fetch of a change until the receiver accepted its notification.",
            registry=registry,
            buckets=LATENCY,
        )

    def posted(self, outcome: str) -> None:
        """Count an attempt to deliver."""
        self._posts[outcome,].inc()

    def delivered(self, age: float) -> None:
        """Record the age (s) of a change when its receiver had accepted the notification."""
        self._latency.observe(age)

    def challenged(self, outcome: str) -> None:
        """Count a challenge."""
        self._challenges[outcome,].inc()


class ChannelMetrics:
    """Counters of messages to channels."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._messages = _children(
            "vokter_announcements",
            "Attempts to send a notification or a digest to a channel, by outcome.",
            ("outcome",),
            registry,
        )

    def sent(self, outcome: str) -> None:
        """Count an attempt."""
        self._messages[outcome,].inc()


class ModelMetrics:
    """Counters of questions to a language model."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._calls = _children(
            "vokter_model_calls",
            "Questions to the language model, by outcome.",
            ("outcome",),
            registry,
        )
        self._tokens = Counter(
            "vokter_model_tokens", "Tokens of these questions and their answers.", registry=registry
        )
        self._seconds = Histogram(
            "vokter_model_seconds",
            "Duration of questions to the language model.",
            registry=registry,
            buckets=SECONDS,
        )

    def asked(self, outcome: str, tokens: int, seconds: float) -> None:
        """Count a question."""
        self._calls[outcome,].inc()
        self._tokens.inc(tokens)
        self._seconds.observe(seconds)


class ApiMetrics:
    """Counters of calls to the REST API."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        self._calls = _children(
            "vokter_api_calls",
            "Calls to the REST API, by path and HTTP status.",
            ("path", "status"),
            registry,
        )
        self._seconds = Histogram(
            "vokter_api_seconds",
            "Duration of calls to the REST API.",
            registry=registry,
            buckets=SECONDS,
        )

    def called(self, path: str, status: int, seconds: float) -> None:
        """Count a call; ``path`` is the route's, to limit the number of series."""
        self._calls[path, str(status)].inc()
        self._seconds.observe(seconds)
