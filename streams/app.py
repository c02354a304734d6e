"""THE MAP: the agents and the API, and the topics between them.

    REST API ─► subscription-requests ─► match ─► subscriptions ─► ticker ─► fetches ─► fetch
                     ⟲      ▲             │ ▲                                             │
                            │             │ └────────────────── changes ◄─────────────────┘
                            │             └─► notifications ─► deliver ─► deliveries
                            └─── Expire ──────────────────────────┘ attempts ⟲ challenges ⟲

Match lets ``crawl`` know by ``crawls`` of subscriptions that crawl, and of the links of their
pages; it asks at ``subscription-requests`` for the pages that these lead to.

Pages that need scripts go to ``renders`` instead of ``fetches``, and ``render`` to ``changes``.

Subscriptions for several pages are matched by ``percolate``: match sends it each of them, and
the changes of pages that their managers watch, through ``percolations``, by the partition of a
word; ``interests`` say which changes those are.

Notifications that a rule in plain words is to judge, or a model to summarize, go by way of
``judge``: its topic is ``judgements``.

A webhook and a channel get their notifications from ``deliver``; a session reads them from the
topic.
Fetch keeps snapshots in the store; record copies the facts there for the API's listings. What a
client wants to be notified of afterwards, match lets ``history`` find there, by
``history-requests``. ``vokter reprocess`` puts pages there, too, which ``history`` reads again: the
results are on ``reprocessed``.

``schemas.records.topics`` has the records of each topic, ``streams.effects`` what each agent is
built of. ``python -m streams.app`` prints the agents.
"""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.records.deliveries import Delivered, DeliveryFailed
from schemas.records.judgements import HeldJudgement, Judgement, ModelAnswer, ModelUse
from schemas.records.percolations import Interest, StoreQuery, TermFilter
from schemas.records.table_rows import (
    Crawl,
    CrawledPage,
    DayCount,
    FailingClient,
    GrantedChallenges,
    NotifiedThrough,
    Proof,
    Queued,
    Registration,
    Scheduled,
    TickedThrough,
    Waiting,
)
from schemas.records.topics import (
    ATTEMPTS,
    CHALLENGES,
    CHANGES,
    CRAWLS,
    DELIVERIES,
    FETCHES,
    HISTORY_REQUESTS,
    INTERESTS,
    JUDGEMENTS,
    NOTIFICATIONS,
    PERCOLATIONS,
    RENDERS,
    REPROCESSED,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    Topic,
)
from streams.agents.crawl.coverage import CATCH_UP_MS
from streams.agents.deliver.outbox.in_hand import CHANNELS, WEBHOOKS
from streams.agents.deliver.outbox_rows import DELIVERED, GRANTS, OUTBOX, RECEIVERS
from streams.agents.ticker.commands import joined_commands
from streams.values.agent import MAX_IN_FLIGHT_BYTES, Agent, Table
from streams.values.slots import TICK_MS

REDELIVERY_S = 5 * 24 * 3600
"""Seconds for which a notification can still be redelivered after its topic has deleted it."""
GRANTS_KEPT_S = 2 * 3600
"""Seconds for which granted challenges are kept; they count for an hour."""
JUDGED_KEPT_S = 24 * 3600
"""Seconds for which answers of a model are kept after the topic has deleted the notifications."""
USES_KEPT_S = 2 * 24 * 3600
"""Seconds for which it is kept what a manager has used of a model; it counts for a day."""
BACKGROUND = "background"
"""The process of agents for which no notification waits, or only those that wait for a model."""

TICKER = Agent(
    "ticker",
    "says which pages are due",
    "ordered",
    reads=(SUBSCRIPTIONS,),
    writes=(FETCHES, RENDERS),
    tables=(Table("watches", (Scheduled, TickedThrough)),),
    key="document URL",
    timer_s=TICK_MS / 1000,  # each tick reaches as far as the next one
    joined=joined_commands,
)
FETCH = Agent(
    "fetch",
    "reads pages and compares them",
    "pool",
    reads=(FETCHES,),
    writes=(CHANGES,),
    key="host of the document",
    has_store=True,
    drain_s=3.0,  # a page that has not arrived by then is fetched again, for the same slot
    linger_ms=0,
)
RENDER = Agent(
    "render",
    "fetches pages that need scripts",
    "pool",
    reads=(RENDERS,),
    writes=(CHANGES,),
    key="host of the document",
    is_optional=True,
    aside=True,
    apart=True,  # its browsers may use up what the others need
    has_store=True,
    drain_s=3.0,  # as fetch
    linger_ms=0,
)
MATCH = Agent(
    "match",
    "finds who wants a change",
    "ordered",
    reads=(SUBSCRIPTION_REQUESTS, CHANGES, INTERESTS),
    # A client that had its answer before a crash must get the changes after it.
    first=SUBSCRIPTION_REQUESTS,
    writes=(
        *(NOTIFICATIONS, SUBSCRIPTIONS, SUBSCRIPTION_REQUESTS),
        *(PERCOLATIONS, HISTORY_REQUESTS, CRAWLS, JUDGEMENTS),
    ),
    tables=(
        Table("subscriptions", (Registration, NotifiedThrough, Waiting, Interest, TermFilter)),
    ),
    key="document URL",
    timer_s=1.0,
    linger_ms=0,
)
PERCOLATE = Agent(
    "percolate",
    "finds who wants changes of several pages",
    "ordered",
    reads=(PERCOLATIONS,),
    writes=(NOTIFICATIONS, INTERESTS, JUDGEMENTS),
    tables=(Table("queries", (StoreQuery,)),),
    key="word",
    aside=True,
    linger_ms=0,
)
JUDGE = Agent(
    "judge",
    "asks a language model about rules and summaries",
    "pool",
    reads=(JUDGEMENTS,),
    writes=(NOTIFICATIONS, DELIVERIES, JUDGEMENTS),
    tables=(
        Table("decided", (Judgement,), JUDGED_KEPT_S, after_retention=True),
        Table("answers", (ModelAnswer,), JUDGED_KEPT_S, after_retention=True),
        Table("uses", (ModelUse,), USES_KEPT_S),
        Table("held", (HeldJudgement,)),
    ),
    key="document URL",
    aside=True,
    process=BACKGROUND,
    timer_s=1.0,
    linger_ms=0,
)
DELIVER = Agent(
    "deliver",
    "notifies webhooks and channels",
    "pool",
    reads=(NOTIFICATIONS, ATTEMPTS, CHALLENGES),
    writes=(DELIVERIES, ATTEMPTS, CHALLENGES, SUBSCRIPTION_REQUESTS),
    tables=(
        Table(DELIVERED, (Delivered, DeliveryFailed), REDELIVERY_S, after_retention=True),
        Table(OUTBOX, (Queued,)),
        Table(RECEIVERS, (FailingClient, Proof, DayCount)),
        Table(GRANTS, (GrantedChallenges,), GRANTS_KEPT_S),
    ),
    key="client URL",
    # It takes as much of a core as all others, at ten notifications of a change.
    process="delivery",
    timer_s=1.0,
    # Besides what it may have in hand for each kind of receiver, what has not begun.
    max_in_flight=WEBHOOKS.max_notifications + CHANNELS.max_notifications + 800,
    max_in_flight_bytes=WEBHOOKS.max_bytes + CHANNELS.max_bytes + MAX_IN_FLIGHT_BYTES,
    # POSTs that have just begun, or are answered and not stored: a kill repeats no more, apart
    # from those to slow receivers. Of slow ones alone, 833 a second are begun.
    max_in_progress=25,
    # What has no stored result is sent again, so let what is in flight finish, and what begins
    # because another one has ended.
    drain_s=18.0,
    messages_per_yield=3,  # the first POSTs of a change leave before its last one is read
    linger_ms=50,  # what has been sent waits for nothing; ten results do not wait, either
)
HISTORY = Agent(
    "history",
    "notifies afterwards and reads kept pages again, if asked",
    "pool",
    reads=(HISTORY_REQUESTS,),
    writes=(NOTIFICATIONS, REPROCESSED, JUDGEMENTS),
    key="manager of a backfill, or document URL",
    aside=True,
    process=BACKGROUND,
    has_store=True,
)
RECORD = Agent(
    "record",
    "writes what is listed",
    "batched",
    reads=(SUBSCRIPTIONS, CHANGES, NOTIFICATIONS, DELIVERIES),
    key="document URL or client URL",
    process=BACKGROUND,
    has_store=True,
    # Each poll is a request to the broker, and a transaction with a sync of the disk. No other
    # agent waits for it, and one large batch costs little more than one event.
    poll_pause_s=0.5,
)
CRAWL = Agent(
    "crawl",
    "follows links",
    "ordered",
    reads=(CRAWLS,),
    writes=(SUBSCRIPTION_REQUESTS,),
    tables=(Table("pages", (Crawl, CrawledPage)),),
    timer_s=CATCH_UP_MS / 1000,
    key="document URL of the crawl",
    aside=True,
    process=BACKGROUND,
)

AGENTS = {
    agent.name: agent
    for agent in (TICKER, FETCH, RENDER, MATCH, PERCOLATE, JUDGE, DELIVER, HISTORY, RECORD, CRAWL)
}
"""All agents by their names, in the order of the picture; most always run."""
NEEDED_AGENTS = {name: agent for name, agent in AGENTS.items() if not agent.is_optional}
"""The agents without which no deployment works; pages that need scripts need a browser too."""


class Neighbour(NamedTuple):
    """A process that reads and writes topics and is no consumer group."""

    name: str
    reads: tuple[Topic, ...]
    writes: tuple[Topic, ...]


API = Neighbour(
    "api", (SUBSCRIPTIONS, NOTIFICATIONS), (SUBSCRIPTION_REQUESTS, ATTEMPTS, JUDGEMENTS)
)


def reported_elsewhere(agent: Agent) -> frozenset[Topic]:
    """Return the inputs of an agent of which another one reports what cannot be read.

    What one agent cannot read, no other can. The first that reads a topic reports it.
    """
    first = {topic: each for each in reversed(AGENTS.values()) for topic in each.reads}
    return frozenset(topic for topic in agent.reads if first[topic] is not agent)


def picture(agents: Iterable[Agent]) -> str:
    """Return a line for each agent: what it reads by which key, what it writes and keeps."""
    rows = [
        (
            agent.name,
            f"{_names(agent.reads)} by {agent.key}",
            "→",
            _names(agent.writes),
            ", ".join(f"table {table.name}" for table in agent.tables),
        )
        for agent in agents
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    return "\n".join(" ".join(row).rstrip() for row in padded)


def _names(topics: Iterable[Topic]) -> str:
    return ", ".join(topic.name for topic in topics)


if __name__ == "__main__":
    print(picture(AGENTS.values()))  # noqa: T201  # what it is for
