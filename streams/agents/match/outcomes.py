"""How a decision becomes messages and table rows."""

import structlog

from schemas.records.backfills import BackfillEnded
from schemas.records.log_ids import trail
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import Cancelled, Expired
from schemas.records.topics import HISTORY_REQUESTS, NOTIFICATIONS, SUBSCRIPTIONS
from schemas.records.urls import without_userinfo
from streams.agents.match.register.backfills import asked_for_backfill
from streams.agents.match.register.decisions import Decision
from streams.agents.match.register.memory import RegisterMemory
from streams.values.outcome import Outcome, Put, Send

log = structlog.get_logger()


def apply_decision(decision: Decision, memory: RegisterMemory, now: int) -> Outcome:
    """Put a decision into memory, and return what is to be published and stored.

    With each row that is stored, rows that ended more than a day before ``now``
    (epoch ms) are deleted, a few at a time.
    """
    puts: list[Put] = []
    if decision.put is not None:
        memory.put(*decision.put)
        puts = [Put(*decision.put), *(Put(key, None) for key in memory.sweep(now))]
    fact = decision.fact
    if fact is not None:
        url = without_userinfo(fact.url)  # a rejected one may be any text
        log.info("decided", answer=type(fact).__name__, url=url, **trail(fact))
    sends = [] if fact is None else [Send(SUBSCRIPTIONS.name, fact.url, fact)]
    if decision.notification is not None:
        sends.append(send_of(decision.notification))
    if (granted := decision.backfill) is not None:
        sends.append(Send(HISTORY_REQUESTS.name, granted.subscription.manager, granted))
    return Outcome((*sends, *_ended_backfills(decision)), tuple(puts))


def _ended_backfills(decision: Decision) -> tuple[Send, ...]:
    """Let a backfill know that its subscription has ended, in the partition of its grant."""
    fact = decision.fact
    if decision.put is None or not isinstance(fact, Cancelled | Expired):
        return ()
    _, after = decision.put
    asked = asked_for_backfill(after, fact.subscription)
    ended = BackfillEnded(fact.subscription)
    return (Send(HISTORY_REQUESTS.name, fact.manager, ended),) if asked else ()


def send_of(notification: Notification) -> Send:
    """Address a notification to its client, so that a client's notifications share a partition."""
    return Send(NOTIFICATIONS.name, notification.receiver.name, notification)
