"""What a run has measured, as tables; ``python -m bench.race.report FILE`` prints a kept one."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.measuring import spread
from bench.race.rounds import Result

OURS, APART, EARLIER = "vokter", "vokter-apart", "vokter-earlier"
"""As it runs by itself; with a process for each agent, so that each is measured; another commit."""
HEAD = ("round", "who", "checks", "a CPU second", "CPU ms a check", "with what resting takes",
        "the broker's ms", "seconds", "MB", "the broker's MB", "found of planted", "ratio",
        "ratio, our rest counted")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """A round of a contender in a repetition."""

    contender: str
    round: str
    repetition: int
    result: Result


@dataclass(frozen=True, slots=True)
class Record:
    """All that was measured, and where."""

    facts: dict[str, Any]
    runs: list[Run]

    def write(self, path: Path) -> None:
        """Keep it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")

    @classmethod
    def read(cls, path: Path) -> "Record":
        """Read what was kept."""
        kept = json.loads(path.read_text("utf-8"))
        runs = [Run(**each | {"result": Result(**each["result"])}) for each in kept["runs"]]
        return cls(kept["facts"], runs)

    def names(self) -> list[str]:
        """Name who was measured, in order."""
        return list(dict.fromkeys(run.contender for run in self.runs))

    def rounds(self) -> list[str]:
        """Name what was measured, in order."""
        return list(dict.fromkeys(run.round for run in self.runs))

    def of(self, contender: str, round_: str) -> list[Result]:
        """Return the results of all repetitions, in their order."""
        return [r.result for r in self.runs if (r.contender, r.round) == (contender, round_)]


def marginal(result: Result) -> float:
    """Return the CPU milliseconds that one more check takes."""
    return (result.cpu - result.resting) / result.checks * 1e3


def whole(result: Result) -> float:
    """Return the CPU milliseconds a check, with what is used while idle."""
    return result.cpu / result.checks * 1e3


def ratios(record: Record, name: str, round_: str, ours: Callable[[Result], float]) -> list[float]:
    """Return how many times more a contender takes than Vokter, by repetition."""
    pairs = zip(record.of(name, round_), record.of(OURS, round_), strict=False)
    return [marginal(theirs) / ours(result) for theirs, result in pairs]


def rows(record: Record) -> list[Sequence[str]]:
    """Return the rows of the table: medians, ratios with the smallest and largest."""
    return [
        _row(record, name, round_)
        for round_ in record.rounds()
        for name in record.names()
        if record.of(name, round_)
    ]


def parts(record: Record) -> list[Sequence[str]]:
    """Return what each of our processes takes (CPU ms a check, medians), by round."""
    found: list[Sequence[str]] = []
    for round_ in record.rounds():
        for name in record.names():
            results = record.of(name, round_)
            names = results[0].parts if results else ()
            shares = {n: [r.parts[n] / r.checks * 1e3 for r in results] for n in names}
            if shares:
                each = (f"{n} {median(several):.2f}" for n, several in shares.items())
                found.append([round_, name, *each])
    return found


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Lay out a table."""
    table = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in table) + "\n"


def _row(record: Record, name: str, round_: str) -> Sequence[str]:
    results = record.of(name, round_)
    planted, found = sum(r.planted for r in results), sum(r.found for r in results)
    has_broker = any(r.broker_memory for r in results)
    return [
        round_, name, f"{median(r.checks for r in results):,.0f}",
        f"{1e3 / median(map(marginal, results)):,.0f}",
        _number(map(marginal, results)),
        _number(map(whole, results)),
        _number(r.broker / r.checks * 1e3 for r in results) if has_broker else "",
        _number(r.wall for r in results),
        f"{median(r.memory for r in results) / 1e6:,.0f}",
        f"{median(r.broker_memory for r in results) / 1e6:,.0f}" if has_broker else "",
        f"{found:,} of {planted:,}" if planted else "",
        "" if name == OURS else spread(ratios(record, name, round_, marginal)),
        "" if name == OURS else spread(ratios(record, name, round_, whole)),
    ]  # fmt: skip


def _number(values: Iterable[float]) -> str:
    return f"{median(values):.3g}"


def main() -> None:
    """Print a kept run."""
    record = Record.read(Path(sys.argv[1]))
    print(markdown(HEAD, rows(record)))
    print("\n".join(", ".join(line) for line in parts(record)))


if __name__ == "__main__":
    main()
