import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from connectors.client.errors import rejection
from connectors.kafka.requests import RequestTimedOut
from infra.ports import any_free
from schemas.records.codes import Code
from schemas.records.subscription_facts import Rejected
from schemas.records.subscriptions import Options
from streams.app import AGENTS
from streams.values.agent import group_id
from vokter import (
    AlreadyWatched,
    JobManager,
    NoAnswerInTime,
    RequestRejected,
    Session,
    Unreachable,
)


@pytest.mark.parametrize("name", ["", "x" * 257, *(group_id("vokter.", name) for name in AGENTS)])
def test_an_invalid_manager_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        JobManager(name, "127.0.0.1:9092")


@pytest.mark.parametrize("code", [code for code in Code if 1 <= code <= 7 or code == Code.PAUSED])
def test_every_code_of_the_register_has_an_exception_with_its_text(code: int) -> None:
    error = rejection(Rejected("r", "m", code, "interval: 60 to 9", "u", None, 1))
    assert isinstance(error, RequestRejected)
    assert (type(error) is not RequestRejected, error.code) == (True, code)
    assert str(error) == f"{Code(code).message} interval: 60 to 9"


def test_a_handler_that_is_not_async_is_refused_when_it_is_registered() -> None:
    manager: Any = JobManager("desk", "127.0.0.1:9092")
    with pytest.raises(TypeError, match="async function"):
        manager.on_notification(print)
    with pytest.raises(TypeError, match="async function"):
        manager.on_timeout(lambda *_: None)


async def test_a_manager_that_was_not_entered_raises_an_error_that_says_so() -> None:
    manager = JobManager("desk", "127.0.0.1:9092")
    with pytest.raises(RuntimeError, match="async with"):
        await manager.cancel("https://example.org/", Session("s"))


class Deaf:
    """A register of which no answer comes."""

    def __init__(self, problem: str | None) -> None:
        self.problem = problem

    async def ask(self, _: object) -> None:
        raise RequestTimedOut("no worker answered within 10 s")


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (None, "no worker answered within 10 s"),
        ("the answers to requests cannot be read: gone", "cannot be read: gone"),
    ],
)
async def test_an_answer_that_cannot_be_read_is_not_blamed_on_the_workers(
    problem: str | None, said: str
) -> None:
    manager: Any = JobManager("desk", "127.0.0.1:9092")
    manager._register, manager._tasks = Deaf(problem), object()
    with pytest.raises(NoAnswerInTime, match=said):
        await manager.cancel("https://example.org/", Session("s"))


async def test_an_interval_of_half_a_second_is_refused() -> None:
    manager = JobManager("desk", "127.0.0.1:9092")
    half: Any = 0.5
    with pytest.raises(ValueError, match=r"Expected `int`, got `float` - at `\$\.interval`"):
        await manager.add("u", Session("s"), ["a"], Options(interval=half))


async def test_one_string_instead_of_a_list_of_keywords_is_refused() -> None:
    manager = JobManager("desk", "127.0.0.1:9092")
    with pytest.raises(TypeError, match=r"keywords: a list of strings .* not the string 'argus'"):
        await manager.add("u", Session("s"), "argus")


async def test_without_a_broker_the_error_names_the_address() -> None:
    address = f"127.0.0.1:{any_free()}"
    with pytest.raises(Unreachable, match=address):
        async with JobManager("desk", address):
            pass


def test_the_most_common_rejection_has_its_own_exception() -> None:
    assert AlreadyWatched.code == 5


def test_the_library_loads_no_http_server() -> None:
    program = "import sys; from vokter import JobManager; print('aiohttp.web' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"


WAITING = """
import asyncio
from vokter import JobManager

async def main() -> None:
    asyncio.get_running_loop().call_soon(print, "ready")
    await JobManager("desk", "127.0.0.1:1").run()
    print("left")

asyncio.run(main())
print("done")
"""


def test_ctrl_c_ends_a_program_that_waits_without_a_traceback() -> None:
    command = [sys.executable, "-u", "-c", WAITING]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        out, err = program.communicate()
    assert (program.returncode, out, err) == (0, "left\ndone\n", "")


async def test_a_program_that_handles_ctrl_c_itself_still_does() -> None:
    handled = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, handled.set)
    try:
        waiting = asyncio.create_task(JobManager("desk", "127.0.0.1:1").run())
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        await handled.wait()
        assert not waiting.done()
        waiting.cancel()
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def test_a_manager_finds_the_deployment_of_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOKTER_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("VOKTER_KAFKA", raising=False)
    with pytest.raises(Unreachable, match=r"Nothing runs in .* Start 'vokter up'"):
        JobManager("desk")
    note = {"kafka": "127.0.0.1:9093", "topic_prefix": "mine.", "process": os.getpid()}
    (tmp_path / "running.json").write_text(json.dumps(note))
    found: Any = JobManager("desk")
    assert (found._access.bootstrap, found._prefix) == ("127.0.0.1:9093", "mine.")
    monkeypatch.setenv("VOKTER_KAFKA", "broker.test:9092")
    named: Any = JobManager("desk", prefix="other.")
    assert (named._access.bootstrap, named._prefix) == ("broker.test:9092", "other.")
