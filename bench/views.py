"""Views: what a selector adds to a check, and many reading parts of one page in one parse."""

from functools import partial

from rich.table import Table

from bench.html import page
from bench.measuring import Run, typical
from connectors.readers.reading import read_views, read_with_plugins
from schemas.records.answers import Reading, Response
from schemas.records.documents import Document
from schemas.records.views import Selector, View, WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import examine
from streams.agents.fetch.fetched_page import FetchedPage

PACKAGES = ("selectolax", "lxml", "jsonpath-rfc9535", "google-re2")
TIMES = 25
MANY = 10_000
SIZE = 100_000
HEADER = "text/html; charset=utf-8"
VIEWS = {
    "no view": View(),
    "css": View(select=(Selector(css="#a1 > h2"),)),
    "css, all but one part": View(exclude=(Selector(css="#a1 > h2"),)),
    "xpath": View(select=(Selector(xpath="//article[@id='a1']/h2"),)),
    "css, ignore": View(select=(Selector(css="main"),), ignore=(r"\d+ views",)),
}


def table(run: Run) -> Table:
    """Check a page that has changed elsewhere, in one view after another."""
    result = Table("view", "bytes", "check ms", "ratio", title="A changed page in a view")
    before, after = page(run.seed, 0.5, SIZE), page(run.seed, 0.5, SIZE)
    after = after.replace("</main>", "<p>one more sentence</p></main>")
    base = 0.0
    for name, view in VIEWS.items():
        took = typical(partial(checked, view, stored(view, before), after), TIMES)
        base = base or took
        result.add_row(name, f"{len(after):,}", f"{took * 1e3:.2f}", f"{took / base:.2f}")
    whole = typical(partial(read_views, after.encode(), HEADER, [View()]), TIMES)
    many = typical(partial(read_views, after.encode(), HEADER, different_views()), 1)
    each = f"{many / MANY * 1e6:.0f} µs each"
    result.add_row(f"{MANY:,} views in one parse", f"{len(after):,}", f"{many * 1e3:,.0f}", each)
    result.add_row("one, read alone", f"{len(after):,}", f"{whole * 1e3:.2f}", "")
    return result


def different_views() -> list[View]:
    """Return many views, each with a selector of its own."""
    return [View(select=(Selector(css=f"main > article:nth-child({n})"),)) for n in range(MANY)]


def stored(view: View, text: str) -> Document:
    """Return the state that a page was read as."""
    (reading,) = read_views(text.encode(), HEADER, [view])
    assert isinstance(reading, Reading)
    return Document(
        "http://d.test/", "w", 1, 1, reading.text, reading.content_type, "en", read_at=1
    )


def checked(view: View, before: Document, text: str) -> Document:
    """Read a page, and compare it with its state before, as the fetch agent does."""
    reader = partial(read_with_plugins, "nowhere")
    due = DueView(before.url, "w", 2, WatchedView("v", view))
    fetched = FetchedPage(Response(200, text.encode(), HEADER), b"h", at=2)
    (after,) = examine(reader, [(before, due)], fetched)
    assert isinstance(after, Document)
    return after
