"""Judge what a backtest lists by a rule in plain words, before anybody subscribes with it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import NamedTuple

from schemas.codec.backtests import ListedNotification
from schemas.records.subscriptions import Subscription
from streams.agents.judge.asking import Asker, Model
from streams.agents.judge.budgets import ModelBudgets, ModelLimits
from streams.agents.judge.judging import judged, with_judgement
from streams.values.judging import judge_command

MAX_JUDGED = 10
"""Notifications of a backtest that are judged, the newest."""


class JudgedPast(NamedTuple):
    """The list, with the verdicts of the model on the first ``judged``, and their tokens."""

    listed: tuple[ListedNotification, ...]
    judged: int = 0
    tokens: int = 0


class PastJudge:
    """Asks a language model about the past; a process of its own has the budgets of a worker."""

    def __init__(self, model: Model, limits: ModelLimits, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        budgets = ModelBudgets(limits, 1)
        budgets.load(0, {})
        self._asker = Asker(model, budgets, clock)

    async def judge(
        self, subscription: Subscription, listed: Sequence[ListedNotification]
    ) -> JudgedPast:
        """Return what is listed with verdicts, if the subscription has a rule or a summary."""
        page = subscription.url
        first = [
            (each, command)
            for each in listed[:MAX_JUDGED]
            if (command := judge_command(each.notification, subscription.options, page)) is not None
        ]
        # No table is looked into: what is asked here is remembered in memory.
        found = await asyncio.gather(
            *(judged(command, self._asker, 0, lambda *_: None) for _, command in first)
        )
        with_verdicts = (
            each._replace(notification=with_judgement(each.notification, decided.judgement))
            for (each, _), decided in zip(first, found, strict=True)
        )
        tokens = sum(decided.tokens for decided in found)
        return JudgedPast((*with_verdicts, *listed[len(first) :]), len(found), tokens)
