"""Judge, with the client of its language model."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from heapq import nlargest
from time import monotonic

from yarl import URL

from connectors.http.egress import EgressGuard
from connectors.metrics.counters import ModelMetrics
from connectors.metrics.model_use import ModelUsed, ModelUseGauges
from connectors.metrics.observed import observed_model
from connectors.model import ModelClient
from schemas.records.egress_policy import EgressPolicy
from schemas.records.judgements import ModelUse
from streams.agents.judge.agent import JudgeProcessor
from streams.agents.judge.asking import Model
from streams.agents.judge.budgets import ModelLimits
from streams.agents.match.register.counts import manager_hash
from streams.effects.clock import now
from streams.effects.own_ports import OwnPorts
from streams.engine.members import Tools
from streams.settings import Settings

MOST_MANAGERS = 100
"""Managers whose use is a metric; each of them is two series."""
ANYWHERE = ("0.0.0.0/0", "::/0")


@asynccontextmanager
async def build(settings: Settings, tools: Tools) -> AsyncIterator[JudgeProcessor]:
    """Build the agent; its client is closed at the end."""
    async with opened_model(settings) as model:
        metrics = ModelMetrics(tools.registry)
        ask = model.ask and observed_model(model.ask, metrics, monotonic)
        processor = JudgeProcessor(
            model=Model(model.name, ask),
            limits=model_limits(settings),
            clock=now,
            partitions=tools.partitions,
        )
        tools.registry.register(ModelUseGauges(lambda: _most_used(processor.used())))
        yield processor


def _most_used(uses: Mapping[str, ModelUse]) -> list[ModelUsed]:
    found = (ModelUsed(manager_hash(each), use.calls, use.tokens) for each, use in uses.items())
    return nlargest(MOST_MANAGERS, found, key=lambda used: used.calls)


def model_limits(settings: Settings) -> ModelLimits:
    """Return the limits of a manager's use of the model per day."""
    return ModelLimits(settings.model_calls, settings.model_tokens)


@asynccontextmanager
async def opened_model(settings: Settings) -> AsyncIterator[Model]:
    """Open the client of the language model, if any, and close the client at the end."""
    if settings.model_url is None:
        yield Model()
        return
    key, url = settings.model_key, URL(settings.model_url)
    # For the model alone: its operator may have set a private address. A proxy is for the
    # internet, so is used for https alone.
    policy = EgressPolicy(ANYWHERE, (url.port or 0,), OwnPorts(settings))
    async with ModelClient(
        EgressGuard(policy, settings.proxy if url.scheme == "https" else None),
        settings.model_url,
        settings.model,
        key=key.get_secret_value() if key else "",
        timeout_s=settings.model_timeout,
        at_once=settings.model_at_once,
    ) as client:
        yield Model(settings.model, client.ask)
