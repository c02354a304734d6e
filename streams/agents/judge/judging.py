"""Judge and summarize one notification, by questions to a language model."""

from dataclasses import replace
from typing import NamedTuple

from schemas.records.judgements import PASSED, SUPPRESSED, Judge, Judgement
from streams.agents.judge.asking import Asker, NoAnswer
from streams.agents.judge.decisions import OK, unjudged
from streams.agents.judge.questions import judge_query, summary_query
from streams.values.outcome import Lookup, Put


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
            return Decided(unjudged(judging, answer.reason), answer.reason, puts, tokens)
        verdict = PASSED if answer.passes else SUPPRESSED
        decided = Decided(Judgement(verdict, answer.text), puts=puts, tokens=tokens)
    if not judging.summarizes or decided.judgement.verdict == SUPPRESSED:
        return decided
    query = summary_query(notification, judging)
    answer, puts, tokens = await asker.ask(query, manager, partition, lookup)
    decided = decided._replace(puts=(*decided.puts, *puts), tokens=decided.tokens + tokens)
    if isinstance(answer, NoAnswer):
        left = decided.judgement if judging.rule else unjudged(judging, answer.reason)
        return decided._replace(judgement=left, reason=answer.reason)
    return decided._replace(judgement=replace(decided.judgement, summary=answer.text))
