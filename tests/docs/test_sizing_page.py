"""Deployments are sized by measured figures."""

import re

import pytest

from tests.docs.reading import rows, text

FIGURE = re.compile(r"(\d[\d.,]*\d|\d)(?= (?:ms|MB|bytes|%))")
SIZED = {row[0]: row[2] for row in rows(text("docs/from-one-machine-to-many.md"), "a stage")}


@pytest.mark.parametrize("stage", [stage for stage, measured in SIZED.items() if measured])
def test_a_figure_is_on_the_page_of_measurements(stage: str) -> None:
    figures = set(FIGURE.findall(SIZED[stage]))
    measured = set(re.findall(r"\d[\d.,]*\d|\d", text("docs/performance.md")))
    assert figures
    assert figures <= measured
