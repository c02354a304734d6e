"""What ``vokter watch`` shows: changes in colour, failures and the end as lines."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from connectors.stores.pages import ListedSubscription
from schemas.changes import Diff
from schemas.notifications import Notification
from streams.cli.output import printable

COLOURS = {"added": "green", "removed": "red"}
"""Of added and removed passages."""


class WatchEnded(Exception):
    """There will be no more changes; the text says why."""


class StatusLines:
    """Shows what is new about a page's fetches."""

    def __init__(self, url: str) -> None:
        """Begin with a page that can be read."""
        self._url = url
        self._failure: str | None = None
        self._waits = False

    def news(self, listed: ListedSubscription | None) -> Iterator[str]:
        """Yield a line if reading began or ceased to fail, fails for another reason, or waits.

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
        waits = failure is None and listed.waiting_for is not None
        if waits and not self._waits:
            yield f"{self._url} is due and waits: {listed.waiting_for}."
        self._failure, self._waits = failure, waits


def show(notification: Notification) -> None:
    """Print a notification in colour; raises WatchEnded if it is the last one."""
    if notification.status == "timeout":
        raise WatchEnded(
            f"{notification.url} failed too often in a row, so the watch has ended. "
            "Watch it again once it can be read."
        )
    console = Console(highlight=False)
    for diff in notification.diffs:
        console.print(_line(diff), soft_wrap=True)


def _line(diff: Diff) -> Text:
    colour = COLOURS[diff.event]
    line = Text(f"{diff.event:>8} ", style=f"bold {colour}")
    line.append(f"[{printable(diff.keyword)}] ", style="dim")
    before, found, after = diff.snippet.partition(diff.text)
    line.append(printable(before), style="none")
    line.append(printable(found), style=colour)
    line.append(printable(after), style="none")
    return line
