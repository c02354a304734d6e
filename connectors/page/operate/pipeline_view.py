"""The pipeline of the deployment: its agents, broker and store, and the results of its checks."""

from asyncio import gather
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aiohttp import web
from aiokafka.errors import KafkaError

from connectors.kafka.progress import AgentProgress, PipelineProgress
from connectors.languages.formats import number
from connectors.languages.texts import gettext
from connectors.metrics.scraping import Latency
from connectors.page.rendering import Views
from connectors.reads.deployment_health import HealthReader
from connectors.single_flight import SharedAnswer

PROGRESS_FRESH_S = 4.0
"""Less than the time after which a page asks again."""
FINDINGS_FRESH_S = 60.0
"""The checks take seconds, and ask the broker and the store much."""

OK = "ok"


class PipelineStep(NamedTuple):
    """A declared agent: its purpose, and the topic to the next agent.

    An agent ``aside`` handles only some changes: not every deployment needs the agent.
    """

    name: str
    does: str
    leads_to: str
    aside: bool


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """The result of a check; ``level`` is ``ok``, ``warning`` or ``error``."""

    level: str
    about: str
    text: str
    remedy: str


@dataclass(frozen=True, slots=True)
class ShownAgent:
    """An agent for people; without ``is_known`` the broker did not say its progress.

    ``state`` names the fault, and is empty if all works. ``rate`` is the rate of the topic
    ``leads_to``, in messages a second.
    """

    name: str
    does: str
    state: str
    is_known: bool
    workers: int
    held: int
    partitions: int
    waiting: int
    waits_on: tuple[str, ...]
    leads_to: str
    rate: str


@dataclass(frozen=True, slots=True)
class PipelinePorts:
    """The agents, and the state of the deployment, asked once for all visitors.

    ``latency`` is the latency of the workers on this machine.
    """

    agents: Sequence[PipelineStep]
    progress: SharedAnswer[PipelineProgress]
    latency: SharedAnswer[Latency | None]
    findings: SharedAnswer[Sequence[ShownFinding]]


class PipelineHandler:
    """The handler of the agents' health."""

    def __init__(self, health: HealthReader, ports: PipelinePorts, views: Views) -> None:
        """Show the findings of ``GET /health``, and more."""
        self._health = health
        self._ports = ports
        self._views = views

    async def pipeline(self, request: web.Request) -> web.Response:
        """Answer with the picture of the agents, and with all problems."""
        found, progress = await gather(self._health.state(), self._progress())
        findings = self._ports.findings.latest()  # checks take longer than anybody waits
        return await self._views.page(
            request,
            "pipeline",
            title=gettext("Pipeline"),
            found=found,
            problems=[p for p in found.problems if p.partition(":")[0] not in found.agents],
            agents=shown_agents(self._ports.agents, found.agents, progress),
            latency=shown_latency(await self._ports.latency.get()),
            is_checked=findings is not None,
            findings=worst_first(findings or ()),
            fine=[each for each in findings or () if each.level == "ok"],
        )

    async def _progress(self) -> PipelineProgress | None:
        """Return how far the agents are; None if the broker does not say so."""
        try:
            return await self._ports.progress.get()
        except (KafkaError, OSError):
            return None


def shown_agents(
    agents: Iterable[PipelineStep],
    health: Mapping[str, str],
    progress: PipelineProgress | None,
) -> list[ShownAgent]:
    """Return the agents in the order of the flow, and then those aside.

    ``health`` has the state of each, as ``GET /health`` does; ``progress`` is None if the broker
    did not answer. An optional agent is shown if running or required.
    """
    known = {} if progress is None else progress.agents
    rates = {} if progress is None else progress.rates
    used = {name for name, each in known.items() if each.workers > 0 or any(each.lag.values())}
    shown = [each for each in agents if not each.aside or each.name in used]
    return [
        _agent(agent, health.get(agent.name, ""), known.get(agent.name), rates)
        for agent in sorted(shown, key=lambda each: each.aside)
    ]


def shown_rate(rate: float | None) -> str:
    """Return messages a second in few digits.

    >>> [shown_rate(each) for each in (None, 0.0, 0.004, 0.25, 12.34, 1234.5)]
    ['…', '0/s', '<0.01/s', '0.25/s', '12/s', '1,234/s']
    """
    if rate is None:
        return "…"
    if rate == 0:
        return "0/s"
    if rate < 0.01:
        return "<0.01/s"
    return f"{rate:.2g}/s" if rate < 10 else f"{rate:,.0f}/s"


def shown_latency(latency: Latency | None) -> str:
    """Return how long notifications take, in a sentence.

    >>> shown_latency(Latency(0.1, 2.5, 1000))
    'Of 1,000 notifications, half arrived within 100 ms of the fetch, and 95 % within 2.5 s.'
    >>> shown_latency(Latency(0.1, 0.1, 1))
    'One notification arrived within 100 ms of the fetch.'
    """
    if latency is None:
        return gettext("No notification was delivered since the workers on this machine began.")
    half, most = _seconds(latency.median), _seconds(latency.p95)
    if latency.count == 1:
        return gettext("One notification arrived within %(time)s of the fetch.", time=most)
    return gettext(
        "Of %(num)s notifications, half arrived within %(half)s of the fetch, and 95 %% "
        "within %(most)s.",
        num=number(latency.count),
        half=half,
        most=most,
    )


def worst_first(findings: Sequence[ShownFinding]) -> list[ShownFinding]:
    """Return the findings other than good: errors, then warnings."""
    order = {"error": 0, "warning": 1}
    return sorted((f for f in findings if f.level in order), key=lambda found: order[found.level])


def _agent(
    agent: PipelineStep,
    health: str,
    progress: AgentProgress | None,
    rates: Mapping[str, float],
) -> ShownAgent:
    lag = {} if progress is None else progress.lag
    is_idle = progress is not None and agent.aside and not progress.workers
    return ShownAgent(
        name=agent.name,
        does=agent.does,
        state=gettext("no worker runs") if is_idle else "" if health == OK else health,
        is_known=progress is not None,
        workers=0 if progress is None else progress.workers,
        held=0 if progress is None else progress.held,
        partitions=0 if progress is None else progress.partitions,
        waiting=sum(lag.values()),
        waits_on=tuple(f"{topic} {number(count)}" for topic, count in lag.items() if count),
        leads_to=agent.leads_to,
        rate=shown_rate(rates.get(agent.leads_to)),
    )


def _seconds(value: float) -> str:
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:g} s"
