"""Dashboards and alerts ask for what there is."""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import promql_parser as promql
import pytest
import yaml

from schemas.records.topics import TOPICS
from streams.app import AGENTS
from streams.cli.commands import COMMANDS
from streams.settings import Settings
from tests.docs.reading import ROOT, text
from tests.fakes.metrics import known

PARTS = {"histogram": ("_bucket", "_sum", "_count")}
OTHERS = {
    "up",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
}
"""Prometheus's own, and those of its client for every process."""
BUILT_IN = {"le", "job", "instance", "process"}


@cache
def expressions() -> dict[str, str]:
    """What dashboards and alerts ask for, by where that stands."""
    board = json.loads(text("infra/grafana/dashboards/vokter.json"))
    found = {
        f"{panel['title']} {target['refId']}": target["expr"]
        for panel in board["panels"]
        for target in panel.get("targets", ())
    }
    return found | {rule["alert"]: rule["expr"] for rule in rules()}


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.load(text("infra/prometheus/alerts.yml"), yaml.CSafeLoader)["groups"]
    return list(group["rules"])


@cache
def metrics() -> dict[str, set[str]]:
    """The labels of each name that there is."""
    return {
        each.name + part: {*each.labels, *BUILT_IN}
        for each in known()
        for part in PARTS.get(each.kind, ("",))
    }


def parts(node: Any) -> Iterator[Any]:
    """An expression and all within it."""
    yield node
    for name in ("lhs", "rhs", "expr", "param", "vector_selector"):
        inner = getattr(node, name, None)
        if inner is not None and not isinstance(inner, str):
            yield from parts(inner)
    for inner in getattr(node, "args", None) or ():
        yield from parts(inner)


def parsed(expression: str) -> list[Any]:
    return list(parts(promql.parse(expression.replace("$__rate_interval", "5m"))))


@pytest.mark.parametrize("where", expressions())
def test_what_is_asked_for_is_a_metric_of_the_code_with_these_labels(where: str) -> None:
    there_is = metrics()
    selectors = [p for p in parsed(expressions()[where]) if isinstance(p, promql.VectorSelector)]
    assert selectors
    for selector in selectors:
        assert selector.name in {*there_is, *OTHERS}
        labels = {matcher.name for matcher in selector.matchers.matchers}
        assert labels <= there_is.get(str(selector.name), BUILT_IN)


@pytest.mark.parametrize("where", expressions())
def test_what_is_summed_by_is_a_label_of_the_metric(where: str) -> None:
    there_is = metrics()
    for part in parsed(expressions()[where]):
        if isinstance(part, promql.AggregateExpr) and part.modifier is not None:
            names = [p.name for p in parts(part) if isinstance(p, promql.VectorSelector)]
            for name in names:
                assert set(part.modifier.labels) <= there_is[str(name)]


def test_agents_and_topics_that_are_asked_for_exist() -> None:
    every = "\n".join(expressions().values())
    agents, topics = set(AGENTS), {topic.name for topic in TOPICS}
    assert set(re.findall(r'agent="([^"]+)"', every)) <= agents
    assert set(re.findall(r'topic="([^"]+)"', every)) <= topics


def test_an_expression_that_is_none_is_noticed() -> None:
    with pytest.raises(ValueError, match=r"."):
        parsed("sum(rate(vokter_fetches_total[5m])")


def test_the_dashboard_shows_every_metric_of_the_code() -> None:
    shown = {
        str(part.name)
        for expression in expressions().values()
        for part in parsed(expression)
        if isinstance(part, promql.VectorSelector)
    }
    for metric in known():
        assert any(name.startswith(metric.name) for name in shown), metric.name


def test_every_alert_says_what_to_do_with_commands_and_settings_that_there_are() -> None:
    variables = {f"VOKTER_{name.upper()}" for name in Settings.model_fields}
    for rule in rules():
        advice = rule["annotations"]["description"]
        assert set(re.findall(r"`vokter ([a-z-]+)", advice)) <= COMMANDS.keys()
        assert set(re.findall(r"VOKTER_\w+", advice)) <= variables
        assert rule["annotations"].keys() == {"summary", "description"}
        assert rule["labels"]["severity"] in ("warning", "critical")


def test_a_log_line_that_an_alert_names_is_logged() -> None:
    advice = " ".join(rule["annotations"]["description"] for rule in rules())
    named = re.findall(r"The log says which, at `([^`]+)`", advice)
    code = "".join(path.read_text("utf-8") for path in (ROOT / "streams").rglob("*.py"))
    assert named == ["retrying"]
    assert all(f'log.warning("{line}"' in code for line in named)


def test_prometheus_reads_the_alerts_that_there_are() -> None:
    config = yaml.load(text("infra/prometheus/prometheus.yml"), yaml.CSafeLoader)
    for file in config["rule_files"]:
        assert (ROOT / "infra" / "prometheus" / file).is_file()
    assert [job["job_name"] for job in config["scrape_configs"]] == ["vokter"]
