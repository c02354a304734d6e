"""Running processes, and the descendants of one."""

import subprocess
from collections import defaultdict
from pathlib import Path

PROC = Path("/proc")
ZOMBIE = "Z"


def descendants(pid: int) -> set[int]:
    """Return the process ids of all descendants of a process."""
    children: defaultdict[int, set[int]] = defaultdict(set)
    for child, (parent, _) in _table().items():
        children[parent].add(child)
    found: set[int] = set()
    unseen = {pid}
    while unseen:
        unseen = {child for parent in unseen for child in children[parent]} - found
        found |= unseen
    return found


def alive(pids: set[int]) -> set[int]:
    """Return those that still run; a zombie does not."""
    return {pid for pid, (_, state) in _table().items() if pid in pids and state != ZOMBIE}


def _table() -> dict[int, tuple[int, str]]:
    """Process id → parent and state; a slim Linux has no ``ps``, macOS no ``/proc``."""
    lines = _proc() if (PROC / "self/stat").exists() else _ps()
    return {int(pid): (int(parent), state[0]) for pid, parent, state in lines}


def _proc() -> list[tuple[str, str, str]]:
    found = []
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has just ended
            continue
        found.append((stat.parent.name, parent, state))
    return found


def _ps() -> list[tuple[str, str, str]]:
    line = ["ps", "-A", "-o", "pid=,ppid=,state="]
    out = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    return [(pid, parent, state) for pid, parent, state in map(str.split, out.splitlines())]
