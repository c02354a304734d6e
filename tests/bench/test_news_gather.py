import subprocess
from pathlib import Path

import pytest

from bench.measuring import Say
from bench.news import clones
from bench.news.corpus import Document, Pair, Versions, hash_of
from bench.news.gather import gather

OLD, NEW = b"Zeus wakes\n", b"Zeus sleeps\n"


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def host(tmp_path: Path) -> Path:
    folder = tmp_path / "host/gods/pages"
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(folder, "config", name, "true")
    for content in (OLD, NEW):
        (folder / "page.md").write_bytes(content)
        git(folder, "add", "page.md")
        git(folder, "commit", "--quiet", "-m", "a version")
    return tmp_path / "host"


def document(host: Path, new: bytes = NEW) -> Document:
    commit = git(host / "gods/pages", "rev-parse", "HEAD")[:12]
    return Document("gods/pages/page.md", "gods/pages", "page.md", "legal", "text/markdown", "en",
                    "prose", "tune", (Pair(commit, hash_of(OLD), hash_of(new)),))  # fmt: skip


def quiet() -> Say:
    return lambda _: None


def test_a_clone_without_blobs_brings_both_sides_of_a_commit(
    host: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clones, "HOST", f"file://{host}")
    assert gather([document(host)], tmp_path / "cache", None, quiet()) == []
    versions = Versions(tmp_path / "cache")
    assert (versions[hash_of(OLD)], versions[hash_of(NEW)]) == (OLD, NEW)


def test_what_is_there_is_not_asked_for_again(host: Path, tmp_path: Path) -> None:
    for content in (OLD, NEW):
        Versions(tmp_path / "cache").add(content)
    assert gather([document(host)], tmp_path / "cache", tmp_path / "nowhere", quiet()) == []


def test_a_version_with_another_hash_is_missing_with_the_reason(host: Path, tmp_path: Path) -> None:
    folder = tmp_path / "clones/gods+pages"
    git(tmp_path, "clone", "--quiet", "--bare", str(host / "gods/pages"), str(folder))
    (missing,) = gather([document(host, b"?")], tmp_path / "cache", folder.parent, quiet())
    assert f"has the hash {hash_of(NEW)}" in missing


def test_a_repository_without_a_clone_is_missing(host: Path, tmp_path: Path) -> None:
    missing = gather([document(host)], tmp_path / "cache", tmp_path, quiet())
    assert missing == ["gods/pages: there is no clone of it"]
