"""What the processes that read pages share, and a worker does without."""

import subprocess
import sys


def test_no_look_for_garbage_copies_what_the_processes_share() -> None:
    ask = "import gc, streams.fetch.warming; print(gc.get_freeze_count(), len(gc.get_objects()))"
    line = [sys.executable, "-c", ask]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    frozen, looked_at = map(int, out.split())
    assert frozen > 10_000
    assert looked_at < 1_000


def test_a_worker_loads_no_parser_and_none_but_match_numpy() -> None:
    ask = "import sys, streams.pipeline; print(*sys.modules)"
    line = [sys.executable, "-c", ask]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert not {"bs4", "lxml", "markdown_it", "numpy", "pypdf", "selectolax"} & set(out.split())
