"""The turns of a process on its core."""

import os
import subprocess
import sys
from typing import Any

import pytest

from streams.engine import process

LOOK = """
import os, sys, threading
from connectors.processes.system import take_long_turns

os.nice(3)
take_long_turns()
policies = [os.sched_getscheduler(0)]
thread = threading.Thread(target=lambda: policies.append(os.sched_getscheduler(0)))
thread.start()
thread.join()
print(*policies, os.nice(0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these turns")
def test_a_process_and_its_threads_interrupt_no_other_and_stay_as_nice_as_they_were() -> None:
    nice = min(os.nice(0) + 3, 19)
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(os.SCHED_BATCH), str(os.SCHED_BATCH), str(nice)]


def test_a_worker_takes_its_long_turns_before_it_has_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Taken(Exception):
        pass

    def take() -> None:
        raise Taken

    monkeypatch.setattr(process, "take_long_turns", take)
    cluster: Any = None
    with pytest.raises(Taken):
        process.run_workers([], cluster)
