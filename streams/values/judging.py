"""Which notifications go by way of judge, and with what."""

from schemas.records.judgements import Judge, Judging
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Options


def judge_command(notification: Notification, options: Options, page: str) -> Judge | None:
    """Return the command to judge or summarize a notification, None if nobody asks for that.

    ``page`` is the canonical URL of what it is about. One without news goes the same way, to keep
    its order.
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
