"""Gathers the versions that documents.jsonl names: ``python -m bench.news.gather``.

Those that are there already are not asked for again, so that it continues where it stopped.
Without ``--clones`` it clones the repositories from GitHub, without blobs, and fetches the
few thousand blobs that it needs.
"""

import argparse
import subprocess
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from rich.console import Console

from bench.measuring import Say, timed_printer
from bench.news.clones import Clone, cloned, opened
from bench.news.corpus import CACHE, Document, Pair, Versions, documents, hash_of


def gather(wanted: list[Document], cache: Path, clones: Path | None, say: Say) -> list[str]:
    """Bring the versions of these documents into the cache; return what is missing, and why."""
    versions = Versions(cache)
    missing: list[str] = []
    for repository, group in groupby(wanted, lambda each: each.repository):
        lacking = [(each, pairs) for each in group if (pairs := _lacking(each, versions))]
        if not lacking:
            continue
        say(f"gathers {sum(len(pairs) for _, pairs in lacking)} pairs of {repository}")
        clone = _clone(repository, cache, clones)
        if clone is None:
            missing.append(f"{repository}: there is no clone of it")
            continue
        for document, pairs in lacking:
            try:
                missing.extend(_gather(document, pairs, clone, versions, fetch=clones is None))
            except subprocess.CalledProcessError as error:
                missing.append(f"{document.document}: {_said(error)}")
    return missing


def _lacking(document: Document, versions: Versions) -> list[Pair]:
    return [p for p in document.pairs if p.old not in versions or p.new not in versions]


def _clone(repository: str, cache: Path, clones: Path | None) -> Clone | None:
    if clones is not None:
        return opened(clones, repository)
    try:
        return cloned(cache.expanduser() / "clones", repository)
    except subprocess.CalledProcessError as error:
        Console(stderr=True).print(f"{repository}: {_said(error)}", highlight=False)
        return None


def _said(error: subprocess.CalledProcessError) -> str:
    return str(error.stderr.decode("utf-8", "replace").strip())


def _gather(
    document: Document, pairs: list[Pair], clone: Clone, versions: Versions, *, fetch: bool
) -> Iterator[str]:
    found = clone.versions(document.path, [pair.commit for pair in pairs])
    if fetch:
        clone.prefetch(sorted({blob for both in found for blob in both if blob}))
    for pair, blobs in zip(pairs, found, strict=True):
        for blob, name in zip(blobs, (pair.old, pair.new), strict=True):
            content = clone.content(blob) if blob else None
            if content is None or hash_of(content) != name:
                why = "is not there" if content is None else f"has the hash {hash_of(content)}"
                yield f"{document.document} at {pair.commit}: the version {name} {why}"
            else:
                versions.add(content)


def main() -> None:
    """Gather, and say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the versions are kept")
    parser.add_argument("--clones", type=Path, help="a folder of bare clones named owner+name")
    options = parser.parse_args()
    out = Console(width=200)
    wanted = list(documents())
    missing = gather(wanted, options.cache, options.clones, timed_printer(out))
    for each in missing:
        out.print(each, highlight=False)
    pairs = sum(len(each.pairs) for each in wanted)
    out.print(f"{pairs:,} pairs of {len(wanted)} documents, {len(missing)} versions missing")


if __name__ == "__main__":
    main()
