"""The cases that are measured: pairs of texts with their questions, cached between runs.

Reading the pages and drawing the questions takes minutes and depends on neither diff nor
matching. What is cached is made again when the reader, the truth or the seed changes.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import astuple
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from bench.news.corpus import HERE, Document, Versions, judged
from bench.news.draw import questions
from bench.news.items import items
from bench.news.truth import JUDGED, Question, Side, Truth
from connectors.readers.reading import read_document
from schemas.records.answers import Heading

_READERS = HERE.parents[1] / "connectors/readers"
_TRUTH = ("cases", "items", "truth", "draw", "words")


class Case(NamedTuple):
    """A pair of versions as text, and what is asked about it."""

    document: str
    kind: str
    content_type: str
    language: str
    commit: str
    old_hash: str
    new_hash: str
    old: str
    new: str
    headings: list[Heading]
    """Those of the new text."""
    questions: list[Question]

    @property
    def keywords(self) -> list[str]:
        """The keywords that are asked about, each once."""
        return list(dict.fromkeys(each.keyword for each in self.questions))


def cases(document: Document, folder: Path, seed: int, step: int = 1) -> Iterator[Case]:
    """Yield the cases of a document whose versions are there: each, or each so many."""
    file = _file(document, folder, f"{seed}" if step == 1 else f"{seed} {step}")
    if not file.exists():
        lines = [
            json.dumps(each._asdict(), default=astuple)
            for each in _made(document, Versions(folder), seed, step)
        ]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress("\n".join(lines).encode(), 3, mtime=0))
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        fields = json.loads(line)
        asked = [Question(*each) for each in fields.pop("questions")]
        headings = [Heading(*each) for each in fields.pop("headings")]
        samples = _judged().get((fields["document"], fields["commit"]), [])
        yield Case(**fields, headings=headings, questions=asked + samples)


@cache
def _judged() -> dict[tuple[str, str], list[Question]]:
    """Return the questions that were judged by hand, by document and commit."""
    found: dict[tuple[str, str], list[Question]] = {}
    for each in judged():
        question = Question(each["keyword"], each["event"], JUDGED[each["verdict"]])
        found.setdefault((each["document"], each["commit"]), []).append(question)
    return found


def _made(document: Document, versions: Versions, seed: int, step: int) -> Iterator[Case]:
    for number, pair in list(enumerate(document.pairs))[::step]:
        if pair.old in versions and pair.new in versions:
            contents = versions[pair.old], versions[pair.new]
            old, new = (read_document(each, None, document.content_type) for each in contents)
            truth = Truth(*(
                Side(each.text, items(content, each.text, document.items))
                for content, each in zip(contents, (old, new), strict=True)
            ))  # fmt: skip
            asked = questions(truth, document.language, f"{seed} {document.document} {number}")
            yield Case(document.document, document.kind, document.content_type, document.language,
                       pair.commit, pair.old, pair.new, old.text, new.text, list(new.headings),
                       asked)  # fmt: skip


def _file(document: Document, folder: Path, drawn: str) -> Path:
    sources = [*sorted(_READERS.glob("*.py")), *(HERE / f"{name}.py" for name in _TRUTH)]
    made_by = b"".join(each.read_bytes() for each in sources)
    name = sha256(f"{drawn}\n{document.line()}".encode() + made_by).hexdigest()[:16]
    return folder.expanduser() / "cases" / f"{name}.gz"
