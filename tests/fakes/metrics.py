"""All metrics that there are, as their collectors describe them."""

from dataclasses import dataclass
from itertools import chain
from typing import Any

from prometheus_client import CollectorRegistry

from connectors.metrics.counters import (
    AgentMetrics,
    ApiMetrics,
    ChannelMetrics,
    DeliverMetrics,
    FetchMetrics,
    ModelMetrics,
)
from connectors.metrics.gauges import Gauges
from connectors.metrics.model_use import ModelUseGauges
from connectors.metrics.waiting import WaitGauges


@dataclass(frozen=True, slots=True)
class Known:
    """A metric by the name of its samples: a histogram's have endings."""

    name: str
    kind: str
    labels: tuple[str, ...]
    text: str


def known() -> list[Known]:
    """Every metric of our own, by name."""
    registry = CollectorRegistry()
    AgentMetrics(registry)
    FetchMetrics(registry)
    DeliverMetrics(registry)
    ChannelMetrics(registry)
    ModelMetrics(registry)
    ApiMetrics(registry)
    counted: list[Any] = list(registry._collector_to_names)
    looked_up: Any = chain(
        Gauges().describe(),
        WaitGauges(float, float, lambda _: ()).describe(),
        ModelUseGauges(tuple).describe(),
    )
    found = [
        Known(_full(each._name, each._type), each._type, each._labelnames, each._documentation)
        for each in counted
    ]
    found += [
        Known(each.name, each.type, each._labelnames, each.documentation) for each in looked_up
    ]
    return sorted(found, key=lambda each: each.name)


def _full(name: str, kind: str) -> str:
    return f"{name}_total" if kind == "counter" else name
