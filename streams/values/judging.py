"""The way of a notification to its client: at once, or by judge, with its commands."""

from schemas.records.judgements import Judge, Judging
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options, Subscription
from schemas.records.topics import JUDGEMENTS, NOTIFICATIONS
from streams.values.outcome import Send


def send_of(notification: Notification) -> Send:
    """Address a notification to its client, so a client's notifications share a partition."""
    return Send(NOTIFICATIONS.name, notification.receiver.name, notification)


def send_to(subscription: Subscription, notification: Notification, page: str) -> Send:
    """Send a notification of a subscription to its client, or first to judge if required.

    ``page`` is the canonical URL of the page.
    """
    command = judge_command(notification, subscription.options, page)
    return send_of(notification) if command is None else Send(JUDGEMENTS.name, page, command)


def judge_command(notification: Notification, options: Options, page: str) -> Judge | None:
    """Return the command to judge or summarize a notification, None without such options.

    ``page`` is the canonical URL of the page. A notification without news goes the same way, to
    keep its order.
    """
    if notification.test or (options.rule is None and not options.summary):
        return None
    judging = Judging(
        rule=options.rule or "",
        summarizes=options.summary,
        wish=options.summary_wish or "",
        language=options.summary_language or "",
        hold_s=options.hold_unjudged or 0,
    )
    return Judge(notification, page, judging)
