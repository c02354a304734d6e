"""What ``vokter watch`` shows: changes in colour, failures and the end as lines."""

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.explanations import notes_of
from connectors.display.plain import BETWEEN_HEADINGS, more_line
from connectors.display.runs import Line
from connectors.stores.pages import ListedSubscription
from schemas.records.notifications import Notification
from streams.cli.output import printable, printable_parts

COLOURS = {"added": "green", "removed": "red", "edited": "yellow", "moved": "blue", "same": ""}
"""Of entries, and of runs of text."""
LABEL = 8
"""Characters of the column that says what happened."""
NOTICES = {
    "failing": ("red", "cannot be read"),
    "recovered": ("green", "can be read again"),
    "lost": ("red", "has nothing of what is watched"),
    "found": ("green", "has what is watched again"),
    "pageAdded": ("green", "is a new page"),
    "pageRemoved": ("red", "is a page that is gone"),
}
"""What subscriptions with notifyFailures are notified of, by the status of the notification."""


class WatchEnded(Exception):
    """There will be no more changes; the text says why."""


class StatusLines:
    """Shows what is new about a page's fetches."""

    def __init__(self, url: str) -> None:
        """Begin with a page that can be read."""
        self._url = url
        self._failure: str | None = None
        self._loss: str | None = None
        self._waits = False

    def news(self, listed: ListedSubscription | None) -> Iterator[str]:
        """Yield a line if reading began or ceased to fail, fails for another reason, or waits.

        So it does if what is watched on the page is lost, or found again.

        Raises WatchEnded if the subscription has expired.
        """
        if listed is None:
            return  # the listing lags
        if listed.state == "expired":
            why = listed.reason or "no reason is known"
            last = f" Its last failure: {listed.last_error}." if listed.last_error else ""
            raise WatchEnded(f"the watch of {self._url} has ended: {why}.{last}")
        failure = listed.last_error if listed.failures else None
        if failure is not None and failure != self._failure:
            yield f"Cannot read {self._url}: {failure}. Vokter keeps trying, ever less often."
        if failure is None and self._failure is not None:
            yield f"{self._url} can be read again."
        yield from self._losses(listed)
        waits = failure is None and listed.waiting_for is not None
        if waits and not self._waits:
            yield f"{self._url} is due and waits: {listed.waiting_for}."
        self._failure, self._waits = failure, waits

    def _losses(self, listed: ListedSubscription) -> Iterator[str]:
        loss = None if listed.lost_since is None else listed.missing
        if loss is not None and loss != self._loss:
            yield f"{self._url} has nothing of what is watched: {loss}. Vokter keeps looking."
        if loss is None and self._loss is not None:
            yield f"{self._url} has what is watched again."
        self._loss = loss


def show(notification: Notification) -> None:
    """Print a notification in colour; raises WatchEnded if it is the last one."""
    if notification.status == "timeout":
        raise WatchEnded(
            f"{notification.url} failed too often in a row, so the watch has ended. "
            "Watch it again once it can be read."
        )
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

    What stands around a passage is shown if marks are seen (``is_marked``). The first line, with
    title and headings, is left out if it repeats that of the entry before.
    """
    entries, more = shown_entries(notification.diffs)
    last = ""
    for number, entry in enumerate(entries):
        above = _above(notification.title, entry.headings)
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


def _above(title: str, headings: Iterable[str]) -> str:
    """Return the title of a page and headings in it, one that repeats the title once."""
    return BETWEEN_HEADINGS.join(dict.fromkeys(filter(None, (title, *headings))))


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
    """Add the runs of a line in colour, without what could act on a terminal."""
    for run, shown in zip(line, printable_parts([run.text for run in line]), strict=True):
        style = f"bold {COLOURS[run.kind]}" if run.keyword else COLOURS[run.kind]
        text.append(shown, style=style)
    return text
