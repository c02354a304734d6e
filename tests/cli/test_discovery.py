import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from streams.cli.discovery import NotRunning, RunningDeployment, forget_deployment, with_broker
from streams.settings import Settings

NOTE = RunningDeployment(
    "127.0.0.1:9093",
    9001,
    "mine.",
    3,
    min_interval=1,
    process=os.getpid(),
    host=socket.gethostname(),
)


def test_a_command_takes_over_what_the_running_deployment_was_set_to(tmp_path: Path) -> None:
    NOTE.write(tmp_path)

    found = with_broker(Settings(data_dir=tmp_path, kafka=None))

    assert (found.kafka, found.port, found.topic_prefix) == ("127.0.0.1:9093", 9001, "mine.")
    assert (found.partitions, found.min_interval) == (3, 1)


def test_a_command_says_what_to_do_where_nothing_runs(tmp_path: Path) -> None:
    NOTE.write(tmp_path)
    forget_deployment(tmp_path)

    with pytest.raises(NotRunning, match=r"Start 'vokter up', .* --data-dir"):
        with_broker(Settings(data_dir=tmp_path, kafka=None))


def test_the_note_of_another_deployment_stays(tmp_path: Path) -> None:
    replace(NOTE, process=os.getppid()).write(tmp_path)
    forget_deployment(tmp_path)

    assert with_broker(Settings(data_dir=tmp_path, kafka=None)).kafka == NOTE.kafka


def test_a_note_that_a_killed_deployment_left_is_no_deployment(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    replace(NOTE, process=ended.pid).write(tmp_path)

    with pytest.raises(NotRunning):
        with_broker(Settings(data_dir=tmp_path, kafka=None))


def test_a_command_on_another_machine_says_where_the_deployment_may_run(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    replace(NOTE, process=ended.pid, host="upstairs").write(tmp_path)

    with pytest.raises(NotRunning, match="by this machine, perhaps by upstairs"):
        with_broker(Settings(data_dir=tmp_path, kafka=None))
