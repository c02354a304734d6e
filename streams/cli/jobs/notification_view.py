"""A notification in the terminal, in colour."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.explanations import notes_of
from connectors.display.plain import BETWEEN_HEADINGS, more_line
from connectors.display.runs import Line
from schemas.records.notifications import Notification
from streams.cli.output import printable, printable_parts

COLOURS = {"added": "green", "removed": "red", "edited": "yellow", "moved": "blue", "same": ""}
"""Colours of entries, and of runs of text."""
MAX_ENTRIES = 50
"""The most entries of a notification to print: a terminal scrolls."""
LABEL = 8
"""Characters of the column with the kinds of changes."""
NOTICES = {
    "failing": ("red", "cannot be read"),
    "recovered": ("green", "can be read again"),
    "lost": ("red", "has nothing of what is watched"),
    "found": ("green", "has what is watched again"),
    "pageAdded": ("green", "is a new page"),
    "pageRemoved": ("red", "is a page that is gone"),
}
"""Colours and texts of notices (notifyFailures), by the status of the notification."""


def show_notification(notification: Notification) -> None:
    """Print a notification in colour."""
    console = Console(highlight=False)
    if notification.status in NOTICES:
        colour, what = NOTICES[notification.status]
        notice = Text(f"{notification.status:>{LABEL}} ", style=f"bold {colour}")
        why = f": {notification.reason}" if notification.reason else ""
        console.print(notice.append(printable(f"{notification.url} {what}{why}")), soft_wrap=True)
    # Without colours nobody would see what changed in its surroundings.
    is_marked = console.color_system is not None and not console.no_color
    for line in shown_lines(notification, is_marked=is_marked):
        console.print(line, soft_wrap=True)


def shown_lines(notification: Notification, *, is_marked: bool = True) -> Iterator[Text]:
    """Yield the lines of a notification: three at most for each entry.

    The text around a passage is shown if marks are seen (``is_marked``). The first line, with title
    and headings, is left out if equal to the line of the entry before.
    """
    entries, more = shown_entries(notification.diffs, MAX_ENTRIES)
    last = ""
    for number, entry in enumerate(entries):
        # A heading that repeats the title is shown once.
        titles = dict.fromkeys(filter(None, (notification.called, *entry.headings)))
        above = BETWEEN_HEADINGS.join(titles)
        notes = notes_of(notification) if number == 0 else []
        if notes:
            yield from map(_dim, [*filter(None, [above]), *notes])
        elif above not in {"", last}:
            yield _dim(above)
        yield from _entry_lines(entry, entry.lines if is_marked else entry.plain)
        last = above
    yield from map(_dim, more_line(more))


def _dim(line: str) -> Text:
    return Text(printable(line), style="dim")


def _entry_lines(entry: ShownEntry, lines: Iterable[Line]) -> Iterator[Text]:
    label = Text()
    label.append(f"{entry.change:>{LABEL}} ", style=f"bold {COLOURS[entry.change]}")
    label.append(f"[{printable(', '.join(entry.keywords))}] ", style="dim")
    if entry.remark:
        label.append(f"{entry.remark}: ", style="dim")
    first, *rest = lines
    yield with_runs(label, first)
    for line in rest:
        yield with_runs(Text(" " * (LABEL + 1)), line)


def with_runs(text: Text, line: Line) -> Text:
    """Add the runs of a line in colour, without control characters of a terminal."""
    for run, shown in zip(line, printable_parts([run.text for run in line]), strict=True):
        style = f"bold {COLOURS[run.kind]}" if run.keyword else COLOURS[run.kind]
        text.append(shown, style=style)
    return text
