"""A line with the news of a notification: the subject of an e-mail, a message's title."""

from connectors.display.entries import ShownEntry, change_name, shown_entries
from connectors.display.notices import TITLES
from connectors.display.plain import harmless
from connectors.display.reasons import reason_text
from connectors.display.runs import Run, is_keyword, is_marked, line_text, one_line
from connectors.display.shortening import shortened
from connectors.languages.texts import gettext, ngettext
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
        return gettext("Test notification: %(page)s", page=page)
    if fact.status in TITLES:
        return f"{gettext(TITLES[fact.status])}: {page}"
    if fact.number is not None:
        return f"{page}: {number_headline(fact.number)}"
    entries, more = shown_entries(fact.diffs, 1)
    if not entries:
        return gettext("%(page)s has changed", page=page)
    if more or fact.truncated:
        return _counted(1 + more, page, or_more=fact.truncated)
    return _entry(entries[0], page)


def _counted(changes: int, page: str, *, or_more: bool) -> str:
    if or_more:
        return gettext("%(num)s or more changes: %(page)s", num=changes, page=page)
    return ngettext("%(num)s change: %(page)s", "%(num)s changes: %(page)s", changes, page=page)


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
    reasons = [reason_text(why.partition(" (")[0].removesuffix(unit)) for why in number.why]
    was = gettext("was %(number)s", number=number.before)
    return f"{number.after}{unit} ({'; '.join(reasons) or was})"


def _entry(entry: ShownEntry, page: str) -> str:
    focus = is_keyword if any(map(is_keyword, entry.now)) else is_marked
    shown = line_text(shortened(entry.now, MAX_NEWS, focus))
    news = harmless(shown).strip().rstrip(".")
    if entry.change in ("added", "edited"):
        return f"{news}: {page}"
    name = change_name(entry.change)
    return f"{name[:1].upper()}{name[1:]}: {news} ({page})"
