"""The message of a digest: the texts of several notifications, by page, within the limit."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import NamedTuple

from connectors.channels.hints import hints_of
from connectors.channels.links import OK
from connectors.channels.message import (
    Message,
    anchor,
    fill,
    filler,
    links_html,
    news_html,
    news_text,
    one_line,
    quiet,
    shortened,
    template_values,
)
from connectors.channels.work import Dated
from connectors.display.entries import MAX_ENTRIES
from connectors.display.headlines import headline, page_name
from connectors.display.reasons import reason_text
from connectors.languages.texts import gettext, msgids, ngettext
from schemas.records.notifications import Notification

MAX_REASONS = 3
"""The most reasons for waits in a digest."""
_ENTRY_SIZE = 150
"""Characters of an entry, about."""
_FOR_MORE = 60
"""Characters reserved for the count of the rest."""
_SHORTEST = 80
"""The least characters of a notification worth showing."""

_OF_ALL = msgids("… and %(num)s more notification", "… and %(num)s more notifications")
_OF_OTHERS = msgids(
    "… and %(num)s more notification of other pages",
    "… and %(num)s more notifications of other pages",
)
_OF_PAGE = msgids(
    "… and %(num)s more notification of this page", "… and %(num)s more notifications of this page"
)


class _Format(NamedTuple):
    """The parts of a digest: the head of a page, the text of a notification, a line of ours.

    ``news`` is None if there is too little room. ``size`` counts the characters of a text as they
    count for the service.
    """

    head: Callable[[Notification], str]
    news: Callable[[Dated, int], str | None]
    line: Callable[[str], str]
    size: Callable[[str], int]
    between: str


def digest_message(
    digest: Sequence[Dated], title: str, text: str, *, most: int, is_html: bool
) -> Message:
    """Return the message of a digest, with at most ``most`` characters when escaped.

    The newest comes first. Each page gets as much room as the others, if needed. The template
    ``text`` makes the text of a notification; without a template the message may be HTML. The
    template ``title`` makes the title of all, with the values of its first news. Raises
    TemplateFailed.
    """
    waited, more = _waited(digest), len(digest) - 1
    digest = [replace(each, notification=replace(each.notification, held=None)) for each in digest]
    first = first_news(digest)
    heading = headline(first.notification)
    if more:
        heading = gettext("%(news)s, and %(num)s more", news=heading, num=more)
    if title:
        fact = first.notification
        values = template_values(fact, heading, news_text(fact))
        heading = one_line(fill("title", title, {**values, "digest": len(digest)}))
    hints = hints_of(first.notification, first.links)
    if any(each.notification.subscription != first.notification.subscription for each in digest):
        hints = hints._replace(stop="")  # it would end one watch of several
    if is_html and not text:
        html = _fitted(digest, _HTML, most, waited)
        return Message(quiet(heading), "", quiet(html), hints)
    text = _fitted(digest, _plain(text), most, waited)
    return Message(quiet(heading), quiet(text), None, hints)


def _waited(digest: Sequence[Dated]) -> list[str]:
    """Return once why notifications were not sent at once, which each would say by itself."""
    held = (each.notification.held for each in digest)
    reasons = Counter(reason_text(each.reason) for each in held if each is not None)
    return [
        ngettext("%(num)s waited: %(reason)s.", "%(num)s waited: %(reason)s.", count, reason=reason)
        for reason, count in reasons.most_common(MAX_REASONS)
    ]


def first_news(digest: Sequence[Dated]) -> Dated:
    """Return the news in the name of a digest: the newest change, else the newest notice."""
    newest = reversed(digest)
    return next((each for each in newest if each.notification.status == OK), digest[-1])


def _fitted(digest: Sequence[Dated], form: _Format, most: int, waited: Sequence[str]) -> str:
    pages: dict[str, list[Dated]] = {}
    for each in reversed(digest):
        pages.setdefault(each.notification.url, []).append(each)
    blocks, unseen = [form.line(each) for each in waited], len(digest)
    left = most - _FOR_MORE - sum(form.size(each) + 2 * len(form.between) for each in blocks)
    for index, page in enumerate(pages.values()):
        block = _page(page, form, left // (len(pages) - index))
        if form.size(block) > left:
            texts = _OF_OTHERS if unseen < len(digest) else _OF_ALL
            blocks.append(form.line(ngettext(*texts, unseen)))
            break
        blocks.append(block)
        left -= form.size(block) + 2 * len(form.between)
        unseen -= len(page)
    return (2 * form.between).join(blocks)


def _page(page: Sequence[Dated], form: _Format, room: int) -> str:
    shown = [form.head(page[0].notification)]
    left = room - form.size(shown[0]) - _FOR_MORE
    for index, each in enumerate(page):
        news = form.news(each, left) if left >= _SHORTEST else None
        if news is None:
            shown.append(form.line(ngettext(*_OF_PAGE, len(page) - index)))
            break
        shown.append(news)
        left -= form.size(news) + len(form.between)
    return form.between.join(shown)


def _counts(room: int) -> tuple[int, int]:
    """Return how many entries may fit, and how many fit almost always."""
    return min(MAX_ENTRIES, max(1, room // _ENTRY_SIZE)), 1


def _plain(template: str) -> _Format:
    fill_in = filler("body", template) if template else None

    def news(each: Dated, room: int) -> str | None:
        fact = each.notification
        said = news_text(fact, _counts(room)[0])
        if fill_in is not None:
            said = fill_in(template_values(fact, headline(fact), said))
        return shortened(f"{each.at}\n{said}".strip(), room)

    return _Format(
        head=lambda fact: f"{page_name(fact)}\n{fact.url}",
        news=news,
        line=str,
        size=lambda text: len(escape(text)),
        between="\n",
    )


def _html_news(each: Dated, room: int) -> str | None:
    at = f"<em>{escape(each.at)}</em>" if each.at else ""
    first = " · ".join(filter(None, [at, links_html(each.links)]))
    head = f"<p>{first}</p>" if first else ""
    made = (head + news_html(each.notification, most) for most in _counts(room))
    return next((html for html in made if len(html) <= room), None)


_HTML = _Format(
    head=lambda fact: f'<h2 dir="auto">{anchor(fact.url, page_name(fact))}</h2>',
    news=_html_news,
    line=lambda text: f"<p>{escape(text, quote=False)}</p>",
    size=len,
    between="",
)
