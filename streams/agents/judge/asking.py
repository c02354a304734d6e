"""Ask a language model, each question once, and within the budget of a manager."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

import structlog

from schemas.codec import wire
from schemas.records.answers import AskModel, ModelQuery
from schemas.records.judgements import ModelAnswer
from streams.agents.judge.answers import InvalidAnswer, checked_answer
from streams.agents.judge.budgets import ModelBudgets
from streams.agents.judge.questions import query_id
from streams.values.outcome import Lookup, Put

log = structlog.get_logger()

ANSWERS, USES = "answers", "uses"
"""Tables."""
AWAY_MS = 10_000
"""The time for which a model that does not answer is not asked."""
REMEMBERED = 1_000
NO_MODEL = "no language model is set (VOKTER_MODEL_URL)"


@dataclass(frozen=True, slots=True)
class Model:
    """A language model: its ``name``, and how it is asked; None if there is none."""

    name: str = ""
    ask: AskModel | None = None


class NoAnswer(NamedTuple):
    """There is no answer now, for a reason."""

    reason: str


class ModelOutcome(NamedTuple):
    """An answer, or why there is none, the rows that follow, and the tokens that it took."""

    answer: ModelAnswer | NoAnswer
    puts: tuple[Put, ...] = ()
    tokens: int = 0


_Question: TypeAlias = asyncio.Task[tuple[ModelAnswer | NoAnswer, int]]


class Asker:
    """Asks the model for the partitions of a worker."""

    def __init__(self, model: Model, budgets: ModelBudgets, clock: Callable[[], int]) -> None:
        """``clock`` returns epoch ms."""
        self._model = model
        self._budgets = budgets
        self._clock = clock
        self._tasks: dict[str, _Question] = {}
        self._recent: dict[str, ModelAnswer] = {}
        self._away = 0, ""

    def released(self) -> None:
        """Ask no more: the next owner of the partitions does."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    async def ask(
        self, query: ModelQuery, manager: str, partition: int, lookup: Lookup
    ) -> ModelOutcome:
        """Return the answer to a question of a manager, from the table if it is there."""
        name = query_id(query, self._model.name)
        if (row := lookup(ANSWERS, name.encode())) is not None:
            return ModelOutcome(wire.decode(row, ModelAnswer))
        if (recent := self._recent.get(name)) is not None:
            return ModelOutcome(recent, (Put(name.encode(), recent, ANSWERS),))
        if (asked := self._tasks.get(name)) is not None:
            answer, _ = await asyncio.shield(asked)
            return ModelOutcome(answer)
        if reason := self._refusal(manager):
            return ModelOutcome(NoAnswer(reason))
        self._budgets.count(partition, manager, self._clock(), calls=1, tokens=0)
        task = self._tasks[name] = asyncio.create_task(self._answer(query))
        task.add_done_callback(partial(self._forget, name))
        answer, tokens = await asyncio.shield(task)
        use = self._budgets.count(partition, manager, self._clock(), calls=0, tokens=tokens)
        puts = Put(manager.encode(), use, USES)
        if isinstance(answer, NoAnswer):
            return ModelOutcome(answer, (puts,), tokens)
        self._recent[name] = answer
        if len(self._recent) > REMEMBERED:
            del self._recent[next(iter(self._recent))]
        return ModelOutcome(answer, (puts, Put(name.encode(), answer, ANSWERS)), tokens)

    def _forget(self, name: str, task: _Question) -> None:
        """Forget a question that has ended, and none that was asked again since a release."""
        if self._tasks.get(name) is task:
            del self._tasks[name]

    def _refusal(self, manager: str) -> str:
        now = self._clock()
        until, reason = self._away
        if self._model.ask is None:
            return NO_MODEL
        return reason if now < until else self._budgets.refusal(manager, now)

    async def _answer(self, query: ModelQuery) -> tuple[ModelAnswer | NoAnswer, int]:
        assert self._model.ask is not None, "it is not refused"
        reply = await self._model.ask(query)
        if reply.error:
            if reply.is_away:
                self._away = self._clock() + AWAY_MS, reply.error
            log.warning("the language model gave no answer", reason=reply.error)
            return NoAnswer(reply.error), reply.tokens
        try:
            return checked_answer(query, reply.text), reply.tokens
        except InvalidAnswer as error:
            log.warning("the language model gave an answer that is not used", reason=str(error))
            return NoAnswer(f"the answer of the model is not used: {error}"), reply.tokens
