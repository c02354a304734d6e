"""The title and text of a notification's message to a channel."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, NamedTuple

from connectors.channels.hints import NO_HINTS, Hints, hints_of
from connectors.channels.templates import TemplateFailed, compiled
from connectors.channels.work import NO_LINKS, Links
from connectors.display.directions import isolated
from connectors.display.entries import MAX_ENTRIES
from connectors.display.explanations import notes_of, wanted_text
from connectors.display.headlines import headline
from connectors.display.html import entries_html
from connectors.display.notices import notice_text
from connectors.display.plain import entries_text, harmless
from connectors.languages.formats import minute_of
from connectors.languages.texts import gettext
from schemas.codec.body import body
from schemas.records.notifications import Notification

_MENTION = re.compile(
    r"(?<!\w)@(?=\W{0,4}(?:all|channel|everyone|here|room|topic)\b|&?\d|\*)|<(?=at\b)",
    re.IGNORECASE,
)
"""Text which calls everybody in a chat, a role or an account: forbidden to a page."""
_QUIET = r"\g<0>" + "\u200b"


class Message(NamedTuple):
    """A message; ``html`` is the same as ``text``, None for the text of a template.

    ``hints`` are for services beyond plain texts.
    """

    title: str
    text: str
    html: str | None
    hints: Hints = NO_HINTS


def message(fact: Notification, title: str, text: str, links: Links = NO_LINKS) -> Message:
    """Return the message of a notification, by the templates if they are not empty.

    Raises TemplateFailed. Templates may take any time and memory.
    """
    name, heading = harmless(fact.called), headline(fact)
    at = "" if fact.test else minute_of(fact.at)
    lines = [
        news_text(fact),
        ", ".join(filter(None, [isolated(name), at])),
        fact.document or fact.url,
        wanted_text(fact, lambda keyword: isolated(harmless(keyword))),
        *(f"{gettext(label)}: {link}" for label, link in links.shown),
    ]
    plain = "\n".join(filter(None, lines))
    where = " · ".join(filter(None, [_directed(anchor(fact.document or fact.url, name)), at]))
    wanted = wanted_text(fact, lambda keyword: _directed(escape(harmless(keyword))))
    footer = "<br>".join(filter(None, [wanted, links_html(links)]))
    html = f"<p>{where}</p>{news_html(fact)}{f'<p><small>{footer}</small></p>' if footer else ''}"
    values = {} if not title and not text else template_values(fact, heading, plain)
    return Message(
        quiet(one_line(fill("title", title, values)) if title else heading),
        quiet(fill("body", text, values) if text else plain),
        None if text else quiet(html),
        hints_of(fact, links),
    )


def news_text(fact: Notification, most: int = MAX_ENTRIES) -> str:
    """Return the text of a notification, with the first entries, as plain text."""
    return "\n".join([*_lines(fact), *filter(None, [entries_text(fact.diffs, most)])])


def news_html(fact: Notification, most: int = MAX_ENTRIES) -> str:
    """Return the text of a notification, with the first entries, as HTML."""
    html = "".join(f"<p>{escape(line, quote=False)}</p>" for line in _lines(fact))
    return html + entries_html(fact.diffs, most, fact.language)


def _lines(fact: Notification) -> list[str]:
    notice = notice_text(fact)
    lines = [notice] if notice is not None else []
    return lines + notes_of(fact)


def _directed(html: str) -> str:
    """Return HTML whose direction may differ from the text around."""
    return f'<bdi dir="auto">{html}</bdi>'


def anchor(link: str, label: str) -> str:
    """Return a link in HTML, with its address as the text without a label."""
    return f'<a href="{escape(link)}">{escape(label or link)}</a>'


def links_html(links: Links) -> str:
    """Return the links of a message in HTML."""
    return " · ".join(anchor(link, gettext(label)) for label, link in links.shown)


def template_values(fact: Notification, heading: str, text: str) -> dict[str, Any]:
    """Return the values for templates: the body of a webhook's notification, and our texts."""
    absent = {
        "name": "",
        "title": "",
        "reason": "",
        "returned": None,
        "pictureChange": None,
        "stood": None,
        "number": None,
        "history": False,
        "verdict": "",
        "because": "",
        "summary": "",
    }
    return {
        **absent,
        **json.loads(body(fact)),
        "test": fact.test,
        "heading": heading,
        "text": text,
        "digest": 0,
    }


def one_line(text: str) -> str:
    """Return a text on a line."""
    return " ".join(text.split())


def fill(name: str, template: str, values: dict[str, Any]) -> str:
    """Fill in the template of a channel's title or body; raises TemplateFailed."""
    return filler(name, template)(values)


def filler(name: str, template: str) -> Callable[[dict[str, Any]], str]:
    """Return the function to fill in a template, for repeated use; see ``fill``."""
    with _failures(name):
        fill_in = compiled(template)

    def fill_once(values: dict[str, Any]) -> str:
        with _failures(name):
            text = fill_in(values)
        if not text.strip():
            raise TemplateFailed(f"the template of its {name} makes no text")
        return text

    return fill_once


@contextmanager
def _failures(name: str) -> Iterator[None]:
    try:
        yield
    except TemplateFailed as error:
        raise TemplateFailed(f"the template of its {name} failed: {error}") from None


def quiet(text: str) -> str:
    """Return a text without calls to people in a chat."""
    return _MENTION.sub(_QUIET, text)


def shortened(text: str, most: int) -> str:
    """Cut a text to a number of characters when escaped.

    >>> shortened("a < b and c", 9)
    'a < b…'
    """
    if len(escape(text)) <= most:
        return text
    end = min(len(text), most - 1)
    while end > 0 and len(escape(text[:end])) > most - 1:
        end -= max(1, (len(escape(text[:end])) - most) // len("&quot;"))
    return f"{text[:end].rstrip()}…"
