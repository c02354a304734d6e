"""The documents of the corpus, and their versions in a folder outside of the repository."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENTS = HERE / "documents.jsonl"
CACHE = Path("~/.cache/vokter-news")
MAX_SIZE = 1_000_000
"""Bytes of a version at most."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions of a document, one after the other: the file before and after a commit."""

    commit: str
    old: str
    new: str
    """Hashes of the contents."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file of a public repository that is a copy of a page, and the pairs that are compared."""

    document: str
    repository: str
    path: str
    kind: str
    content_type: str
    language: str
    items: str
    """The extractor of its items, with its argument: ``items.py`` lists them."""
    half: str
    pairs: tuple[Pair, ...]

    def line(self) -> str:
        """Return its line of documents.jsonl."""
        fields = asdict(self) | {"pairs": [f"{p.commit} {p.old} {p.new}" for p in self.pairs]}
        return json.dumps(fields, ensure_ascii=False)


def documents(file: Path = DOCUMENTS) -> Iterator[Document]:
    """Load the documents."""
    for line in file.read_text("utf-8").splitlines():
        fields = json.loads(line)
        pairs = tuple(Pair(*each.split()) for each in fields.pop("pairs"))
        yield Document(**fields, pairs=pairs)


def judged() -> Iterator[dict[str, str]]:
    """Load the samples that were judged by hand."""
    for line in (HERE / "judged.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


def hash_of(content: bytes) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256."""
    return sha256(content).hexdigest()[:16]


class Versions:
    """The versions that were gathered, by the hash of their content."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache.expanduser() / "versions"

    def __contains__(self, name: str) -> bool:
        return self._file(name).exists()

    def __getitem__(self, name: str) -> bytes:
        return gzip.decompress(self._file(name).read_bytes())

    def add(self, content: bytes) -> None:
        """Keep a version; one that is there already stays."""
        file = self._file(hash_of(content))
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            part.write_bytes(gzip.compress(content, 3, mtime=0))
            part.rename(file)

    def _file(self, name: str) -> Path:
        return self._folder / name[:2] / f"{name}.gz"
