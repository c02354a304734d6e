"""Logs as a process writes them."""

import json
import subprocess
import sys

PROGRAM = """
import logging, sys, structlog
from streams.logs import configure_logs

configure_logs("info", sys.argv[1], for_a_person=False)
structlog.contextvars.bind_contextvars(stage="fetch")
log = structlog.get_logger()
log.debug("too small")
log.info("read", url="http://example.test/", changes=2)
logging.getLogger("aiokafka").warning("no %s", "broker")
try:
    page = "x" * 10_000
    raise ValueError("broken page")
except ValueError:
    log.exception("a late visit failed", work=("a", 1))
"""


def written(form: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, form]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout == ""
    return result.stderr.splitlines()


def test_as_json_every_line_is_an_object_whoever_logs_it() -> None:
    ours, library, failure = map(json.loads, written("json"))
    assert (ours["event"], ours["url"], ours["changes"]) == ("read", "http://example.test/", 2)
    assert (library["event"], library["logger"]) == ("no broker", "aiokafka")
    assert "ValueError: broken page" in failure["exception"]
    for line in (ours, library, failure):
        assert line["stage"] == "fetch"
        assert line["timestamp"]
    assert [line["level"] for line in (ours, library, failure)] == ["info", "warning", "error"]


def test_a_traceback_does_not_show_local_variables() -> None:
    for form in ("json", "console"):
        assert "xxxxx" not in "".join(written(form))


def test_on_the_console_a_line_is_for_people() -> None:
    first, second, *_ = written("console")
    assert "read" in first
    assert "stage=fetch" in first
    assert second.endswith("[WARNING] aiokafka: no broker")
