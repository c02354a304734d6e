from tests.docs.reading import text
from tests.fakes.metrics import Known, known


def metrics_table() -> str:
    lines = ["| metric | type | labels | meaning |", "|---|---|---|---|"]
    return "\n".join(lines + list(map(line, known())))


def line(metric: Known) -> str:
    labels = ", ".join(f"`{label}`" for label in metric.labels)
    cells = f"`{metric.name}`", metric.kind, labels, metric.text
    return "| " + " | ".join(cells).replace("|  |", "| |") + " |"


def test_the_table_of_metrics_agrees_with_the_code() -> None:
    table = metrics_table()

    assert table in text("docs/metrics.md"), f"docs/metrics.md must have this table:\n\n{table}\n"
