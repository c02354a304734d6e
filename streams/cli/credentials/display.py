"""Shows credentials as a table, without their secrets."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from schemas.records.credentials import SealedCredentials
from streams.cli.durations import shown_age
from streams.cli.output import printable, say


def print_credentials(found: Sequence[SealedCredentials], now: int) -> None:
    """Print a table with whole names and sites, on as many lines as they need."""
    table = Table()
    for title in ("name", "kind", "for", "set", "last used"):
        table.add_column(title, overflow="fold", no_wrap=title not in {"name", "for"})
    for row in found:
        used = "never" if row.used_at is None else shown_age(now - row.used_at)
        cells = row.name, row.kind, row.sent_to, shown_age(now - row.set_at), used
        table.add_row(*map(printable, cells))
    Console(markup=False).print(table)
    say(f"{len(found)} credentials.")
