"""Logs as a process writes them."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable

import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st

from streams.effects.logs import MAX_EVENTS, MOST, ONCE_A_MINUTE, OncePerMinute, PlainRenderer

PROGRAM = """
import logging, sys, structlog
from streams.effects.logs import configure_logs

configure_logs("info", sys.argv[1], for_a_person=False)
structlog.contextvars.bind_contextvars(agent="fetch")
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


def test_as_json_every_line_of_every_logger_is_an_object() -> None:
    ours, library, failure = map(json.loads, written("json"))
    assert (ours["event"], ours["url"], ours["changes"]) == ("read", "http://example.test/", 2)
    assert (library["event"], library["logger"]) == ("no broker", "aiokafka")
    assert "ValueError: broken page" in failure["exception"]
    for line in (ours, library, failure):
        assert line["agent"] == "fetch"
        assert line["timestamp"]
    assert [line["level"] for line in (ours, library, failure)] == ["info", "warning", "error"]


def test_a_traceback_does_not_show_local_variables() -> None:
    for form in ("json", "console"):
        assert "xxxxx" not in "".join(written(form))


def test_on_the_console_a_line_is_for_people() -> None:
    first, second, *_ = written("console")
    assert "read" in first
    assert "agent=fetch" in first
    assert second.endswith("[WARNING] aiokafka: no broker")


ATTACK = """
import asyncio, logging, sys
from aiohttp import web
from connectors.serving.site import served
from streams.effects.logs import configure_logs

configure_logs("info", sys.argv[1], for_a_person=False)

async def fail(request):
    raise RuntimeError(request.query_string)

async def attack(port, number):
    texts = [
        b"\\x16\\x03\\x01\\x02\\x00\\x01%d" % number,
        b"GET /?%d HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" % number,
        b"GET / HTTP/1.1\\r\\nBroken-%d\\r\\n\\r\\n" % number,
        b"GET / HTTP/1.1\\r\\nA: %d%s\\r\\n\\r\\n" % (number, b"x" * 20_000),
        b"POST / HTTP/1.1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n%dz\\r\\n" % number,
    ]
    for text in texts:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(text)
        writer.write_eof()
        await reader.read()
        writer.transport.abort()

async def main():
    app = web.Application()
    app.router.add_get("/", fail)
    async with served(app, "127.0.0.1", 0) as port:
        for number in range(60):
            await attack(port, number)
            logging.getLogger("some.library").error(f"refused {number}")
            logging.getLogger("asyncio").error("connection %s\\nlost", number)

asyncio.run(main())
"""


@pytest.mark.parametrize("form", ["json", "console"])
def test_requests_that_are_none_write_a_line_for_each_of_few_causes(form: str) -> None:
    command = [sys.executable, "-c", ATTACK, form]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    lines = result.stderr.splitlines()
    heads = [line for line in lines if line.startswith(("{", "20"))]
    assert "Error handling request" in result.stderr
    assert "a request is no HTTP" in result.stderr
    assert "refused 0" in result.stderr
    assert "Logging error" not in result.stderr
    assert len(heads) <= 5 + MOST + 1
    assert len(result.stderr) < 30_000


class Minute:
    """The limit, on a clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.limit = OncePerMinute(lambda: self.now)

    def line(self, level: str = "warning", **fields: str) -> dict[str, object] | None:
        try:
            return dict(self.limit.line(None, level, fields))
        except structlog.DropEvent:
            return None

    def library(self, message: str, *args: object) -> str | None:
        record = logging.LogRecord("asyncio", logging.ERROR, "", 0, message, args, None)
        return record.getMessage() if self.limit.filter(record) else None


def test_a_line_is_written_once_a_minute_for_each_cause_and_the_next_one_counts_the_others() -> (
    None
):
    minute = Minute()
    first = minute.line(event="broker away", **{ONCE_A_MINUTE: "refused"})
    assert first == {"event": "broker away"}
    for second in range(59):
        minute.now = second
        assert minute.line(event="broker away", **{ONCE_A_MINUTE: "refused"}) is None
    assert minute.line(event="broker away", **{ONCE_A_MINUTE: "timed out"}) is not None
    minute.now = 60
    again = minute.line(event="broker away", **{ONCE_A_MINUTE: "refused"})
    assert again == {"event": "broker away", "repeats": 59}


def test_a_line_without_a_cause_is_always_written() -> None:
    limit = Minute().limit
    assert [limit.line(None, "info", {"event": "read"}) for _ in range(2)] == [
        {"event": "read"}
    ] * 2


@pytest.mark.parametrize("level", ["warning", "error", "exception", "critical"])
def test_the_same_warning_is_written_once_a_minute_without_a_cause(level: str) -> None:
    minute = Minute()
    assert minute.line(level, event="retrying", error="refused") is not None
    assert minute.line(level, event="retrying", error="refused") is None
    assert minute.line(level, event="retrying", error="timed out") is not None
    assert minute.line(level, event="dead letter", error="refused") is not None


def test_errors_of_two_kinds_are_two_causes() -> None:
    minute = Minute()

    def line_of(work: Callable[[], object]) -> dict[str, object] | None:
        try:
            work()
        except (ValueError, TypeError):
            return minute.line("exception", event="a visit failed", work="visit")
        raise AssertionError

    assert line_of(lambda: int("x")) is not None
    assert line_of(lambda: int("y")) is None
    assert line_of(lambda: len(7)) is not None  # type: ignore[arg-type]  # its mistake


def test_an_attacker_who_finds_ever_more_causes_writes_few_lines() -> None:
    minute = Minute()

    def written() -> int:
        ours = [minute.line(event="dead letter", offset=str(n)) for n in range(1000)]
        named = [minute.line(event="a call", **{ONCE_A_MINUTE: str(n)}) for n in range(1000)]
        theirs = [minute.library(f"refused: {n}") for n in range(1000)]
        return sum(each is not None for each in [*ours, *named, *theirs])

    assert written() == 3 * (MOST + 1)
    assert written() == 0
    assert minute.line(event="another") is not None
    minute.now = 60
    assert written() == 3 * (MOST + 1)


def test_what_was_left_out_of_all_other_causes_is_counted() -> None:
    minute = Minute()
    for number in range(MOST + 100):
        minute.line(event="dead letter", offset=str(number))
    for minute.now in (30, 59.9):
        assert minute.line(event="dead letter", offset="new") is None
    minute.now = 60
    for number in range(MOST):
        minute.line(event="dead letter", offset=str(number))
    last = minute.line(event="dead letter", offset="new")
    assert last == {"event": "dead letter", "offset": "new", "repeats": 101}


def test_a_library_writes_each_of_its_messages_once_a_minute() -> None:
    minute = Minute()
    assert minute.library("no broker %s", 1) == "no broker 1"
    assert minute.library("no broker %s", 2) is None
    assert minute.library("accept() failed\nsocket: 7") is not None
    assert minute.library("accept() failed\nsocket: 8") is None
    minute.now = 60
    assert minute.library("no broker %s", 3) == "no broker 3 (1 more like the last one)"


def remembered(minute: Minute) -> int:
    return sum(map(len, minute.limit._events.values()))


def test_any_number_of_causes_is_remembered_in_bounded_memory() -> None:
    minute = Minute()
    for number in range(100_000):
        minute.limit.repeats(str(number), "refused")
    assert remembered(minute) == 2 * MAX_EVENTS
    for number in range(100_000):
        minute.limit.repeats(f"{number % MAX_EVENTS}", str(number))
    assert remembered(minute) == MAX_EVENTS * (MOST + 1)


VALUES = st.text(max_size=20) | st.integers() | st.none() | st.floats() | st.tuples(st.text())
NAMES = st.sampled_from(["url", "answer", "watch", "changes", "Änderung"])


@given(st.sampled_from(["info", "critical"]), st.text(max_size=40), st.dictionaries(NAMES, VALUES))
@example("info", "ready", {})
@example("info", "read", {"url": "a b", "watch": ""})
def test_a_line_that_is_for_no_terminal_is_as_structlog_writes_it(
    level: str, text: str, values: dict[str, object]
) -> None:
    line = {"timestamp": "2026-11-24T00:00:00Z", "level": level, "event": text, **values}
    console = structlog.dev.ConsoleRenderer(colors=False)
    expected = console(None, level, dict(line))

    assert PlainRenderer(console)(None, level, dict(line)) == expected
