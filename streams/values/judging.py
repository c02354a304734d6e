"""The notifications for judge, and its commands."""

from schemas.records.judgements import Judge, Judging
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options


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
