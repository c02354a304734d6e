"""Judge one notification by questions to a language model, and decide what becomes of it.

It is published, with a verdict or a summary, or suppressed.
"""

from dataclasses import replace
from typing import NamedTuple

from schemas.codec.body import fits
from schemas.records.field_types import MAX_TEXT
from schemas.records.judgements import (
    NOT_JUDGED,
    NOT_SUMMARIZED,
    PASSED,
    SENT_AFTER_ALL,
    SUPPRESSED,
    Judge,
    Judgement,
    Judging,
    Suppressed,
)
from schemas.records.notifications import Notification
from schemas.records.topics import DELIVERIES, NOTIFICATIONS
from streams.agents.judge.asking import Asker, NoAnswer
from streams.agents.judge.questions import judge_query, summary_query
from streams.values.outcome import Lookup, Put, Send

OK = "ok"
"""The status of a notification of a change; one of another status has nothing to judge."""


class Decided(NamedTuple):
    """The outcome for a notification, the rows that follow, and the tokens that it took.

    A ``reason`` says why the model gave no answer; one that need not wait leaves as it is here.
    """

    judgement: Judgement
    reason: str = ""
    puts: tuple[Put, ...] = ()
    tokens: int = 0


async def judged(command: Judge, asker: Asker, partition: int, lookup: Lookup) -> Decided:
    """Ask about the rule first, and for a summary of what passes."""
    notification, judging = command.notification, command.judging
    decided, manager = Decided(Judgement("")), command.notification.manager
    if notification.status != OK:
        return decided
    if judging.rule:
        query = judge_query(notification, judging)
        answer, puts, tokens = await asker.ask(query, manager, partition, lookup)
        if isinstance(answer, NoAnswer):
            return Decided(_unjudged(judging, answer.reason), answer.reason, puts, tokens)
        verdict = PASSED if answer.passes else SUPPRESSED
        decided = Decided(Judgement(verdict, answer.text), puts=puts, tokens=tokens)
    if not judging.summarizes or decided.judgement.verdict == SUPPRESSED:
        return decided
    query = summary_query(notification, judging)
    answer, puts, tokens = await asker.ask(query, manager, partition, lookup)
    decided = decided._replace(puts=(*decided.puts, *puts), tokens=decided.tokens + tokens)
    if isinstance(answer, NoAnswer):
        left = decided.judgement if judging.rule else _unjudged(judging, answer.reason)
        return decided._replace(judgement=left, reason=answer.reason)
    return decided._replace(judgement=replace(decided.judgement, summary=answer.text))


def _unjudged(judging: Judging, reason: str) -> Judgement:
    """Return what is decided without the model, which gave no answer for a reason."""
    begin = NOT_JUDGED if judging.rule else NOT_SUMMARIZED
    return Judgement((begin + reason)[:MAX_TEXT])


def judged_send(notification: Notification, judgement: Judgement, at: int) -> Send:
    """Send a notification with what was decided of it ``at`` a time (epoch ms), as it is or not."""
    whole = with_judgement(notification, judgement)
    client = notification.receiver.name
    if judgement.verdict == SUPPRESSED:
        return Send(DELIVERIES.name, client, Suppressed(whole, at))
    return Send(NOTIFICATIONS.name, client, whole)


def sent_after_all(notification: Notification, at: int) -> tuple[Send, Send]:
    """Send a notification that was suppressed, and note that."""
    client = notification.receiver.name
    sent = replace(notification, verdict=SENT_AFTER_ALL)
    return (
        Send(NOTIFICATIONS.name, client, sent),
        Send(DELIVERIES.name, client, Suppressed(notification, at, sent=at)),
    )


def with_judgement(notification: Notification, judgement: Judgement) -> Notification:
    """Return a notification with what the model says; its last entries go if it is too large."""
    found = replace(
        notification,
        verdict=judgement.verdict,
        because=judgement.because,
        summary=judgement.summary,
    )
    while found.diffs and not fits(found):
        found = replace(found, diffs=found.diffs[:-1], truncated=True)
    return found
