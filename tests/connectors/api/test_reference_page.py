"""The page made of the API's description."""

import re
from html.parser import HTMLParser

import pytest

from connectors.api.description import description
from connectors.api.reference import page
from connectors.api.server import BASE

DESCRIPTION = description()
PAGE = page(DESCRIPTION)
CALLS = [
    (f"{method.upper()} {BASE}{path}", operation)
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
]


class Outline(HTMLParser):
    """What stands open, and all that could lead elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        given = dict(attributes)
        self.links += [given[name] or "" for name in ("href", "src") if name in given]
        self.ids |= {given["id"] or ""} if "id" in given else set()
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def outline() -> Outline:
    found = Outline()
    found.feed(PAGE)
    return found


def test_the_page_is_whole_and_loads_and_runs_nothing(outline: Outline) -> None:
    assert outline.open == []
    assert outline.tags.isdisjoint({"script", "link", "img", "iframe", "form"})
    assert {link for link in outline.links if not link.startswith("#")} == {"openapi.json"}
    assert {link[1:] for link in outline.links if link.startswith("#")} == outline.ids


@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_the_page_has_every_call_with_its_answers(name: str, call: dict[str, object]) -> None:
    assert f'<h2 id="{call["operationId"]}"><code>{name}</code></h2>' in PAGE
    section = PAGE.partition(f'<h2 id="{call["operationId"]}">')[2].partition("<h2")[0]
    responses = call["responses"]
    assert isinstance(responses, dict)
    assert re.findall(r"<h3>(\d+):", section) == list(responses)


def test_fields_of_referred_and_merged_schemas_are_told_with_their_limits() -> None:
    section = PAGE.partition('<h2 id="subscribe">')[2].partition("<h2")[0]
    row = "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>"
    assert row.format("documentUrl", "yes", "string", "at most 2048 characters") in section
    assert row.format("interval", "", "integer", "from 1; to 315360000; default 600") in section
    assert row.format("code", "yes", "string", "always &quot;0&quot;") in section


def test_what_a_description_says_is_text_and_never_markup() -> None:
    sly = "<script>alert('&')</script>"
    told = page(DESCRIPTION | {"info": {"title": sly, "description": sly}})
    assert "<script" not in told
    assert "&lt;script&gt;" in told
