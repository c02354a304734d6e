"""What counts as news, measured on real pages: ``make bench-news``.

docs/performance.md says what the corpus is, and what the classes mean.
"""

import argparse
from pathlib import Path

from rich.console import Console

from bench.measuring import Say, timed_printer
from bench.news import lines, ours
from bench.news.answers import Way, answered, cached, measured
from bench.news.cases import cases
from bench.news.corpus import CACHE, Document, documents
from bench.news.gather import gather
from bench.news.peers import asking
from bench.news.peers.asking import SIDES, Peer
from bench.news.report import by_class, by_kind, summary
from bench.news.score import Score

LINES, DMP = "changed lines", "diff-match-patch"
OURS = {"Vokter": ours.of_sentences, "Vokter (change)": ours.of_changed_words}
WAYS = (*OURS, LINES, DMP, *SIDES)
SEED = 17


def measure(
    wanted: list[Document], names: list[str], options: argparse.Namespace, say: Say
) -> dict[str, Score]:
    """Ask all ways about all pairs."""
    ways = {name: _way(name, options) for name in names}
    scores = {name: Score() for name in names}
    for number, document in enumerate(wanted, 1):
        step = -(-len(document.pairs) // options.pairs)
        found = list(cases(document, options.cache, options.seed, step))
        for name, (way, version) in ways.items():
            answers = (
                cached(way, found, version, options.cache) if version else answered(way, found)
            )
            for case, answer in zip(found, answers, strict=True):
                score = scores[name]
                score.seconds += answer.seconds
                score.pairs += 1
                score.add(case.kind, case.questions, set(answer.notified))
        asked = sum(len(case.questions) for case in found)
        say(f"{number} of {len(wanted)}: {len(found)} pairs, {asked:,} questions of "
            f"{document.document}")  # fmt: skip
    return scores


def _equally_often(wanted: list[Document], options: argparse.Namespace) -> str:
    """Return how many of the sentences that came or went stand equally often on both sides."""
    steps = ((each, -(-len(each.pairs) // options.pairs)) for each in wanted)
    found = [
        ours.whole_sentences(case)
        for document, step in steps
        for case in cases(document, options.cache, options.seed, step)
    ]
    count, equal = (sum(each) for each in zip(*found, strict=True))
    share = f"{100 * equal / count:.2f} %"
    return f"of {count:,} whole sentences {share} stand equally often on both sides"


def _way(name: str, options: argparse.Namespace) -> tuple[Way, str]:
    """Return a way, and what its answers depend on; "" for one that is asked each time."""
    if name in OURS:
        return measured(OURS[name]), ""
    if name in SIDES:
        peer = Peer(name, options.environments, options.cache)
        code = (Path(asking.__file__).parent / SIDES[name]).read_text("utf-8")
        return peer, f"{name} {peer.version} {code}"
    way = lines.changed_lines if name == LINES else lines.diff_match_patch_semantic
    return measured(way), f"{name} {Path(lines.__file__).read_text('utf-8')}"


def main() -> None:
    """Gather what is missing, measure, and print."""
    options = _options()
    out = Console(width=160)
    say = timed_printer(out)
    wanted = [each for each in documents() if each.half == options.half]
    for each in gather(wanted, options.cache, options.clones, say):
        out.print(f"missing: {each}", highlight=False)
    scores = measure(wanted, options.ways, options, say)
    out.print(f"half {options.half}, seed {options.seed}, {len(wanted)} documents")
    for table in (summary(scores), by_class(scores), by_kind(scores)):
        out.print(table)
    out.print(_equally_often(wanted, options))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("tune", "test"), default="tune")
    parser.add_argument("--seed", type=int, default=SEED, help="of the keywords")
    parser.add_argument("--pairs", type=int, default=60, help="of a document at most")
    parser.add_argument("--ways", type=lambda value: value.split(","), default=list(WAYS),
                        help=", ".join(WAYS))  # fmt: skip
    parser.add_argument("--environments", type=Path, default=Path(".venv"), help="of the peers")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the versions are kept")
    parser.add_argument("--clones", type=Path, help="a folder of bare clones named owner+name")
    options = parser.parse_args()
    if unknown := set(options.ways) - set(WAYS):
        parser.error(f"no such way: {', '.join(sorted(unknown))}; there are {', '.join(WAYS)}")
    return options


if __name__ == "__main__":
    main()
