import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from connectors.running import NotRunning
from streams.cli.discovery import (
    RunningDeployment,
    forget_deployment,
    with_broker,
    with_running,
)
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


def test_a_command_takes_the_folder_that_the_note_of_the_demo_names(tmp_path: Path) -> None:
    replace(NOTE, data_dir=str(tmp_path / "demo")).write(tmp_path)

    assert with_broker(Settings(data_dir=tmp_path, kafka=None)).data_dir == tmp_path / "demo"


def test_a_command_with_the_brokers_of_the_running_deployment_takes_over_what_is_not_set(
    tmp_path: Path,
) -> None:
    NOTE.write(tmp_path)
    own = Settings(data_dir=tmp_path, kafka=NOTE.kafka, topic_prefix="own.")

    found = with_broker(own)

    assert (found.topic_prefix, found.min_interval) == ("own.", 1)


def test_a_command_with_other_brokers_leaves_the_running_deployment_alone(tmp_path: Path) -> None:
    NOTE.write(tmp_path)
    own = Settings(data_dir=tmp_path, kafka="127.0.0.1:1")

    assert with_broker(own) == own
    assert (
        with_broker(Settings(data_dir=tmp_path / "other", kafka="127.0.0.1:1")).kafka == own.kafka
    )


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


def test_a_trial_takes_the_network_of_the_deployment_that_runs(tmp_path: Path) -> None:
    own = Settings(data_dir=tmp_path, kafka=None)
    assert with_running(own) == own
    replace(NOTE, allow_private=("127.0.0.0/8",), allow_ports=(8000,)).write(tmp_path)
    found = with_running(own)
    assert (found.allow_private, found.allow_ports) == (("127.0.0.0/8",), (8000,))
