"""The site that `make docs` builds."""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from docs.links import SYNONYMS, on_page_markdown
from tests.docs.reading import ROOT, links, text

DOCS = ROOT / "docs"
ELSEWHERE = re.compile(r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//[^>]*>")


class _Loader(yaml.SafeLoader):
    """Loads mkdocs.yml, with MkDocs' tag ``!ENV``."""


_Loader.add_constructor("!ENV", lambda loader, node: "")
SITE: dict[str, Any] = yaml.load(text("mkdocs.yml"), _Loader)  # noqa: S506  # a safe one


def pages(nav: Any) -> Iterator[str]:
    for entry in nav if isinstance(nav, list) else [nav]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from (page for inner in entry.values() for page in pages(inner))


def page_of(name: str) -> SimpleNamespace:
    return SimpleNamespace(file=SimpleNamespace(src_uri=name), meta={})


def seen(markdown: str, page: str = "a.md", repository: str = "") -> str:
    config = SimpleNamespace(repo_url=repository)
    return on_page_markdown(markdown, page=page_of(page), config=config)


def test_every_page_is_in_the_navigation_and_every_decision_in_its_list() -> None:
    there = {str(file.relative_to(DOCS)) for file in DOCS.rglob("*.md")}
    decisions = {name for name in there if name.startswith("decisions/0")}
    assert set(pages(SITE["nav"])) == there - decisions
    listed = {link for link in links(text("docs/decisions/README.md")) if "/" not in link}
    assert {f"decisions/{link}" for link in listed} == decisions


@pytest.mark.parametrize(
    ("page", "link"),
    [("a.md", "../streams/agents/record.py"), ("b/a.md", "../../streams/agents/record.py#L1")],
)
def test_a_link_out_of_the_pages_points_to_the_repository_or_becomes_text(
    page: str, link: str
) -> None:
    at = "https://git.example/vokter/"
    path = link.replace("../", "")
    assert seen(f"see [it]({link}).", page, at) == f"see [it]({at}blob/HEAD/{path})."
    assert seen(f"see [it]({link}).", page) == "see it."


@pytest.mark.parametrize("link", ["b.md#x", "../a.md", "#x", "https://a.example/../x"])
def test_other_links_are_not_changed(link: str) -> None:
    assert seen(f"[it]({link})", "b/c.md") == f"[it]({link})"


def test_a_search_finds_a_page_by_words_that_it_does_not_have_and_decisions_last() -> None:
    config = SimpleNamespace(repo_url="")
    for name, words in SYNONYMS.items():
        page = page_of(name)
        markdown = text(f"docs/{name}")
        on_page_markdown(markdown, page=page, config=config)
        assert page.meta == {"tags": list(words)}
        assert re.search(rf"(?i)\b(?:{'|'.join(words)})s?\b", markdown) is None
    decision = page_of("decisions/0037-digests.md")
    on_page_markdown("", page=decision, config=config)
    assert decision.meta["search"]["boost"] < 1e-3


@pytest.mark.skipif(
    find_spec("mkdocs") is None, reason="the site is NOT BUILT: `make docs` builds it"
)
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    line = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)]
    built = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    html = {file: file.read_text("utf-8") for file in tmp_path.rglob("*.html")}
    assert tmp_path / "errors" / "index.html" in html
    assert [found for page in html.values() for found in ELSEWHERE.findall(page)] == []
