"""Asks other watchers: their own code, in their own environment, over lines of JSON."""

import json
import subprocess
from pathlib import Path

from bench.news.answers import Answer
from bench.news.cases import Case
from bench.news.corpus import Versions
from bench.news.words import UNSPACED

SIDES = {"urlwatch": "urlwatch_side.py", "changedetection.io": "changedetection_side.py"}
_BEFORE, _AFTER = r"(?<![^\W_])(?<![^\W_]['\u2019])", r"(?![^\W_])(?!['\u2019][^\W_])"


class Peer:
    """A process of another watcher that answers one case after the other."""

    def __init__(self, name: str, environments: Path, cache: Path) -> None:
        self._python = environments / f"peers-{name}" / "bin/python"
        self._name = name
        self._versions = Versions(cache)
        self._process: subprocess.Popen[str] | None = None

    @property
    def version(self) -> str:
        """The version that is installed."""
        asked = f"from importlib.metadata import version; print(version({self._name!r}))"
        command = [str(self._python), "-c", asked]
        return subprocess.check_output(command, text=True).strip()  # noqa: S603

    def __call__(self, case: Case, keywords: list[str]) -> Answer:
        """Ask which keywords it notifies of."""
        old, new = (self._versions[each] for each in (case.old_hash, case.new_hash))
        asked = {
            "content_type": case.content_type,
            "old": old.decode("utf-8", "replace"),
            "new": new.decode("utf-8", "replace"),
            "patterns": {keyword: pattern(keyword) for keyword in keywords},
        }
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        return Answer(
            answer["seconds"], [(keyword, event) for keyword, event in answer["notified"]]
        )

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            command = [str(self._python), str(Path(__file__).parent / SIDES[self._name])]
            self._process = subprocess.Popen(  # noqa: S603  # ends with its standard input
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        return self._process


def pattern(keyword: str) -> str:
    """Return the regular expression of a line with every word of a keyword, as whole words."""
    return "".join(
        f"(?=.*{each if UNSPACED.match(each) else _BEFORE + each + _AFTER})"
        for each in keyword.split()
    )
