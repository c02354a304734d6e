"""Reads versions of files from bare clones of public repositories."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

HOST = "https://github.com"
_MODIFIED = "M"


class Clone:
    """A bare clone in a folder.

    The blobs of one that is made by ``cloned`` are fetched when they are asked for.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reading: subprocess.Popen[bytes] | None = None

    def git(self, *arguments: str, given: bytes = b"") -> bytes:
        """Run git; raises CalledProcessError with what git says."""
        return _run("--git-dir", str(self._folder), *arguments, given=given)

    def changes(self, path: str) -> Iterator[tuple[str, str, str]]:
        """Yield the commits that changed a file, newest first, with its blobs before and after."""
        log = self.git("log", "--first-parent", "--diff-merges=first-parent", "--no-renames",
                       "--raw", "--no-abbrev", "--format=%H", "--", path)  # fmt: skip
        commit = ""
        for line in log.decode("utf-8", "replace").splitlines():
            if not line.startswith(":"):
                commit = line or commit
                continue
            _, _, old, new, status = line.split("\t")[0].split()
            if status == _MODIFIED:
                yield commit, old, new

    def versions(self, path: str, commits: Sequence[str]) -> list[tuple[str, str]]:
        """Return the blobs of a file before and after each commit; "" for one that is not there."""
        names = [f"{name}:{path}" for commit in commits for name in (f"{commit}^1", commit)]
        asked = "\n".join(names).encode()
        found = self.git("cat-file", "--batch-check=%(objectname)", given=asked).splitlines()
        blobs = ["" if b" " in each else each.decode() for each in found]
        return list(zip(blobs[::2], blobs[1::2], strict=True))

    def prefetch(self, blobs: Sequence[str]) -> None:
        """Fetch blobs in one request; one by one they would take a connection each."""
        self.git("-c", "fetch.negotiationAlgorithm=noop", "fetch", "origin", "--no-tags",
                 "--no-write-fetch-head", "--filter=blob:none", "--stdin",
                 given="\n".join(blobs).encode())  # fmt: skip

    def content(self, blob: str) -> bytes | None:
        """Return a blob's content; None if it is not in this clone."""
        if self._reading is None:
            command = ["git", "--git-dir", str(self._folder), "cat-file", "--batch"]
            self._reading = subprocess.Popen(  # noqa: S603  # ends with its standard input
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        given, answer = self._reading.stdin, self._reading.stdout
        assert given is not None
        assert answer is not None
        given.write(f"{blob}\n".encode())
        given.flush()
        _, *found = answer.readline().split()
        return answer.read(int(found[1]) + 1)[:-1] if len(found) > 1 else None


def opened(folder: Path, repository: str) -> Clone | None:
    """Open a clone that is in a folder as ``owner+name``, or in its subfolder repo or .git."""
    base = folder / repository.replace("/", "+")
    for each in (base / "repo/.git", base / "repo", base / ".git", base):
        if (each / "HEAD").exists():
            return Clone(each)
    return None


def cloned(folder: Path, repository: str) -> Clone:
    """Clone a repository without its blobs, or open the clone that is there."""
    known = opened(folder, repository)
    if known is None:
        into = folder / repository.replace("/", "+")
        part = into.with_suffix(".part")
        _run("clone", "--quiet", "--bare", "--filter=blob:none", f"{HOST}/{repository}", str(part))
        part.rename(into)
        known = Clone(into)
    return known


def _run(*arguments: str, given: bytes = b"") -> bytes:
    command = ["git", *arguments]
    # The arguments are of documents.jsonl, and no shell reads them.
    return subprocess.run(  # noqa: S603
        command, input=given, capture_output=True, check=True
    ).stdout
