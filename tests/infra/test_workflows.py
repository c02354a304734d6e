"""Targets and versions that the workflows of the repository name exist here."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def commands(workflow: Path) -> Iterator[str]:
    read: dict[str, Any] = yaml.safe_load(workflow.read_text("utf-8"))
    for job in read["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_each_target_that_a_workflow_makes_is_in_the_makefile(workflow: Path) -> None:
    made = {found for run in commands(workflow) for found in re.findall(r"\bmake ([a-z-]+)", run)}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert made
    assert made <= targets


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_each_job_ends_by_itself(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    assert all(job["timeout-minutes"] <= 120 for job in jobs.values())


def test_the_version_that_the_weekly_workflow_replaces_is_in_the_jars() -> None:
    weekly = (ROOT / ".github/workflows/weekly.yml").read_text("utf-8")
    assert "s/^KAFKA_VERSION = " in weekly
    assert re.search(r"^KAFKA_VERSION = ", (ROOT / "infra/jars.py").read_text(), re.MULTILINE)
