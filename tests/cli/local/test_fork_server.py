"""The server that forks the processes of ``vokter up``, in a program without threads."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from faust.fixups import FIXUPS
from faust.stores import STORES
from faust.transport.drivers import TRANSPORTS

from connectors.http.get_client import trusting
from schemas.codec.versions import schemas
from streams.cli.local import fork_server

PROGRAM = """
import asyncio, json, os, signal, socket, sys
from streams.cli.forked import RunAs
from streams.cli.local import fork_server
from streams.cli.local.supervisor import PROGRAM, SupervisedProcess
from pathlib import Path

fork_server.load_shared = lambda: None
fork, errors = os.fork, iter([{forks}])

def limited_fork():
    error = next(errors, 0)
    if error:
        raise OSError(error, "no room")
    return fork()

os.fork = limited_fork
folder = Path(sys.argv[1])
log = folder / "fetch.log"

async def start(server, *arguments):
    with log.open("ab") as file:
        return await server.start("fetch", arguments, {{"VARIABLE": "value"}}, file)

def server_pid(process):
    return int(Path(f"/proc/{{process.pid}}/stat").read_text().rsplit(")", 1)[1].split()[1])

async def work(server):
{work}

try:
    with fork_server.fork_server() as server:
        asyncio.run(work(server))
except RunAs as forked:
    print(*forked.arguments, os.environ["VARIABLE"], flush=True)
    if forked.arguments[0] == "wait":
        sys.stdin.read()
    sys.exit(3)
"""


def ran(folder: Path, *work: str, forks: str = "") -> str:
    """Run a program in which ``server`` is one, and return what it prints.

    ``forks`` are the errors of the first forks, 0 for none.
    """
    code = PROGRAM.format(forks=forks, work="\n".join(f"    {line}" for line in work))
    line = [sys.executable, "-c", code, str(folder)]
    return subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout


def test_a_process_runs_with_its_arguments_variables_and_log_and_its_status_is_known(
    tmp_path: Path,
) -> None:
    work = "process = await start(server, 'end', 'now')", "print(await process.wait())"
    assert ran(tmp_path, *work) == "3\n"
    assert (tmp_path / "fetch.log").read_text() == "end now value\n"


def test_a_process_that_a_signal_ends_has_its_negative_number_as_status(tmp_path: Path) -> None:
    work = (
        "process = await start(server, 'wait')",
        "process.send_signal(signal.SIGKILL)",
        "print(await process.wait(), process.returncode)",
        "process.send_signal(signal.SIGTERM)  # no error",
    )
    assert ran(tmp_path, *work) == "-9 -9\n"


def test_several_processes_end_in_any_order(tmp_path: Path) -> None:
    work = (
        "first, second = await start(server, 'wait'), await start(server, 'end')",
        "print(await second.wait(), first.returncode)",
        "os.close(first._stdin)",
        "first._stdin = os.open(os.devnull, os.O_RDONLY)",
        "print(await first.wait())",
    )
    assert ran(tmp_path, *work) == "3 None\n3\n"


@pytest.mark.skipif(sys.platform != "linux", reason="it finds the server in /proc")
def test_without_its_server_a_process_ends_and_the_next_one_imports_what_it_needs(
    tmp_path: Path,
) -> None:
    work = (
        "process = await start(server, 'wait')",
        "pid = server_pid(process)",
        "os.kill(pid, signal.SIGKILL)",
        "print(await process.wait())",
        "command = [*PROGRAM, '--version']",
        "child = SupervisedProcess('fetch', command, {}, folder, print, server)",
        "print(await child._run_once())",
        "print(Path(f'/proc/{pid}').exists())  # not even as a zombie",
    )
    assert ran(tmp_path, *work) == "-9\n0\nFalse\n"
    assert "vokter " in (tmp_path / "fetch.log").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="it finds the server in /proc")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_to_all_processes_of_a_service_does_not_end_the_server(
    tmp_path: Path, number: str
) -> None:
    work = (
        "process = await start(server, 'wait')",
        f"os.kill(server_pid(process), signal.{number})",
        "process.send_signal(signal.SIGTERM)",
        "print(await process.wait())",
        "print(await (await start(server, 'end')).wait())",
    )
    assert ran(tmp_path, *work) == "-15\n3\n"


def test_a_process_for_which_there_is_no_room_ends_no_other(tmp_path: Path) -> None:
    work = (
        "process = await start(server, 'wait')",
        "try:",
        "    await start(server, 'end')",
        "except OSError as error:",
        "    print(error)",
        "print(process.returncode)",
        "print(await (await start(server, 'end')).wait())",
    )
    assert ran(tmp_path, *work, forks="0, 0, 11") == "the server has forked no process\nNone\n3\n"


@pytest.mark.skipif(sys.platform != "linux", reason="it finds the server in /proc")
def test_a_process_of_which_the_start_is_cancelled_ends(tmp_path: Path) -> None:
    work = (
        "process = await start(server, 'wait')",
        "starting = asyncio.create_task(start(server, 'wait'))",
        "await asyncio.sleep(0)",
        "starting.cancel()",
        "await asyncio.wait([starting])",
        "await (await start(server, 'end')).wait()",
        "pid = server_pid(process)",
        "children = Path(f'/proc/{pid}/task/{pid}/children')",
        "while children.read_text().split() != [str(process.pid)]:",
        "    await asyncio.sleep(0.01)",
        "print(process.returncode)",
    )
    assert ran(tmp_path, *work) == "None\n"


def test_a_start_that_nobody_waits_for_ends_no_other(tmp_path: Path) -> None:
    work = (
        "process = await start(server, 'wait')",
        "reported, reports = os.pipe()",
        "os.close(reported)",
        "message = json.dumps(['fetch', ['end'], {'VARIABLE': 'value'}]).encode()",
        "sent = [fork_server.SIZE.pack(len(message)), message]",
        "nothing = os.open(os.devnull, os.O_RDWR)",
        "socket.send_fds(server._control, sent, [nothing, nothing, reports])",
        "os.close(reports)",
        "print(await (await start(server, 'end')).wait(), process.returncode)",
    )
    assert ran(tmp_path, *work) == "3 None\n"


async def test_a_server_that_stands_still_has_forked_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "START_TIMEOUT_S", 0.05)
    ours, theirs = socket.socketpair()
    with ours, theirs, (tmp_path / "log").open("wb") as log, pytest.raises(TimeoutError):
        await fork_server.ForkServer(ours, 0).start("api", [], {}, log)


def test_what_each_process_would_load_by_itself_is_loaded_before_the_first_fork() -> None:
    trusting.cache_clear()
    fork_server.load_shared()
    assert trusting.cache_info().currsize == schemas.cache_info().currsize == 1
    for extensions in (FIXUPS, STORES, TRANSPORTS):
        assert extensions._finalized, "the metadata of all packages were read"


def test_a_program_without_standard_output_has_a_server() -> None:
    program = (
        "from streams.cli.local import fork_server\n"
        "fork_server.load_shared = lambda: None\n"
        "with fork_server.fork_server():\n"
        "    pass"
    )
    closing = 'exec "$0" -c "$1" >&-'
    subprocess.run(["/bin/sh", "-c", closing, sys.executable, program], check=True, timeout=60)
