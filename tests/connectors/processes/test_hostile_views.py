"""Views that were made to be hard, with pages that were: a process ends, and nothing else."""

from collections.abc import AsyncIterator
from functools import partial

import pytest
import pytest_asyncio

from connectors.processes.documents import DocumentProcesses
from connectors.processes.errors import Interrupted, TooHard
from connectors.readers import Unreadable
from connectors.readers.reading import read_with_plugins
from schemas.records.answers import Reading
from schemas.records.views import Quote, Selector, View
from streams.effects.fetch import PRELOADED
from tests.fakes.works import nothing

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOWHERE = "nowhere"
SECONDS = 1.0
MANY = b"<p>a" * 100_000
FLAT = b"<a>" + b"<b/>" * 20_000 + b"</a>"
TREE = b'{"a":' * 90 + b"[" + b"1," * 2_000 + b"1]" + b"}" * 90
REPEATED = b'[{"v":"' + b"a" * 40 + b'!"}]'
HARD: dict[str, tuple[bytes, str, View]] = {
    "100,000 matches": (MANY, "text/html", View(select=(Selector(css="p"),))),
    "100,000 matches less as many": (
        MANY,
        "text/html",
        View(select=(Selector(css="p"),), exclude=(Selector(css="p:nth-child(2n)"),)),
    ),
    "a long list of selectors": (
        MANY, "text/html", View(select=(Selector(css="p ~ a," * 160 + "a"),)),
    ),
    "siblings of siblings": (MANY, "text/html", View(select=(Selector(css="p ~ p ~ p ~ i"),))),
    "a quadratic XPath": (
        FLAT, "text/xml", View(select=(Selector(xpath="//b[count(preceding::b) > 19998]"),)),
    ),
    "an XPath of unions of everything": (
        FLAT, "text/xml", View(select=(Selector(xpath="//*[//*[//*[name() = 'c']]]"),)),
    ),
    "descendants of descendants": (
        TREE, "application/json", View(select=(Selector(jsonpath="$..[*]..[*]..[*]..[*]"),)),
    ),
    "a pattern that goes back": (
        REPEATED,
        "application/json",
        View(select=(Selector(jsonpath="$[?match(@.v, '(a|a)*b')]"),)),
    ),
    "a pattern for each of many characters": (
        b"a" * 3_000_000, "text/plain", View(ignore=("(a?){50}b", "[a-c]{900}d")),
    ),
    "a quote of what is everywhere": (
        b"a b " * 700_000,
        "text/plain",
        View(select=(Selector(quote=Quote("b a " * 240, "c " * 99)),)),
    ),
}  # fmt: skip
BRIEF = {
    "100,000 matches",
    "a quadratic XPath",
    "descendants of descendants",
    "a pattern for each of many characters",
}
"""One of each kind of page."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared() -> AsyncIterator[DocumentProcesses]:
    async with DocumentProcesses(1, SECONDS, PRELOADED, nothing) as processes:
        yield processes


@pytest.fixture
def one(shared: DocumentProcesses, monkeypatch: pytest.MonkeyPatch) -> DocumentProcesses:
    """One process that works for a second at most."""
    monkeypatch.setattr(shared, "limits", shared.limits)
    return shared


@pytest.mark.parametrize(
    "name",
    [each if each in BRIEF else pytest.param(each, marks=pytest.mark.slow) for each in HARD],
)
async def test_a_hard_view_ends_its_process_at_most_and_the_next_page_is_read(
    one: DocumentProcesses, name: str
) -> None:
    body, kind, view = HARD[name]
    try:
        (found,), _ = await one.call(partial(read_with_plugins, NOWHERE, body, kind, [view]), ())
    except (TooHard, Interrupted) as error:
        found = Unreadable(str(error))
    assert isinstance(found, Reading | Unreadable)
    plain = partial(read_with_plugins, NOWHERE, b"<p>Zeus", "text/html", [View()])
    one.limits = one.limits._replace(cpu_s=600.0, wall_s=3600.0)
    (read,), _ = await one.call(plain, ())
    assert isinstance(read, Reading)
    assert read.text == "Zeus"


async def test_every_part_of_100_000_is_read(one: DocumentProcesses) -> None:
    one.limits = one.limits._replace(cpu_s=600.0, wall_s=3600.0)
    body, kind, view = HARD["100,000 matches"]
    (found,), _ = await one.call(partial(read_with_plugins, NOWHERE, body, kind, [view]), ())
    assert isinstance(found, Reading)
    assert found.text.count("a") == 100_000
