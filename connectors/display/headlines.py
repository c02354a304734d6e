"""A line with the news of a notification: the subject of an e-mail, a message's title."""

from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.notices import TITLES
from connectors.display.plain import harmless
from connectors.display.runs import Line, Run, is_keyword, is_marked, line_text, one_line
from connectors.display.shortening import shortened
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews

MAX_NEWS = 60
"""Characters of a changed sentence, about: the length of a subject on a phone."""
MAX_NAME = 80
"""Characters of a page's title after the change, about."""


def headline(fact: Notification) -> str:
    """Return a line for a notification: its news, and the name of the page.

    The news are a number, the only changed sentence, or the number of such sentences.
    """
    page = page_name(fact)
    if fact.test:
        return f"Test notification: {page}"
    if fact.status in TITLES:
        return f"{TITLES[fact.status]}: {page}"
    if fact.number is not None:
        return f"{page}: {number_headline(fact.number)}"
    entries, more = shown_entries(fact.diffs, 1)
    if not entries:
        return f"{page} has changed"
    if more or fact.truncated:
        return f"{1 + more}{' or more' if fact.truncated else ''} changes: {page}"
    return _entry(entries[0], page)


def page_name(fact: Notification) -> str:
    """Return the name of a notification's subscription, or the title or address of its page."""
    title = harmless(one_line(fact.called)).strip()
    return line_text(shortened((Run(title),), MAX_NAME)) or fact.document or fact.url


def number_headline(number: NumberNews) -> str:
    """Return a number with its condition, or else the former number, as short as can be.

    >>> number_headline(NumberNews("99", "89", "EUR", ("below 100 EUR (counts again from 101)",)))
    '89 EUR (below 100)'
    >>> number_headline(NumberNews("99", "89", "EUR"))
    '89 EUR (was 99)'
    """
    unit = f" {number.unit}" if number.unit else ""
    reasons = [why.partition(" (")[0].removesuffix(unit) for why in number.why]
    return f"{number.after}{unit} ({'; '.join(reasons) or f'was {number.before}'})"


def _entry(entry: ShownEntry, page: str) -> str:
    news = _news(entry.now)
    if entry.change in ("added", "edited"):
        return f"{news}: {page}"
    return f"{entry.change.capitalize()}: {news} ({page})"


def _news(line: Line) -> str:
    focus = is_keyword if any(map(is_keyword, line)) else is_marked
    return harmless(line_text(shortened(line, MAX_NEWS, focus))).strip().rstrip(".")
