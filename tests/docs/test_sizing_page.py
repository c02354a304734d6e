"""Deployments are sized by measured figures."""

import re

import pytest

from tests.docs.reading import rows, text

FIGURE = re.compile(r"(\d[\d.,]*\d|\d)(?= (?:ms|MB|bytes|%))")
SIZED = {row[0]: row[2] for row in rows(text("docs/from-one-machine-to-many.md"), "an agent")}


@pytest.mark.parametrize("agent", [agent for agent, measured in SIZED.items() if measured])
def test_a_figure_is_on_the_page_of_measurements(agent: str) -> None:
    figures = set(FIGURE.findall(SIZED[agent]))
    measured = set(re.findall(r"\d[\d.,]*\d|\d", text("docs/performance.md")))
    assert figures
    assert figures <= measured
