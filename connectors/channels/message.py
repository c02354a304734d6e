"""The title and text of the message that a channel gets of a notification."""

import json
import re
from html import escape
from typing import Any, NamedTuple

from connectors.channels.templates import TemplateFailed, filled
from schemas.body import body
from schemas.display.html import entries_html
from schemas.display.notices import headline, notice_text
from schemas.display.numbers import number_text
from schemas.display.plain import entries_text
from schemas.display.returns import returned_text
from schemas.notifications import Notification

_MENTION = re.compile(
    r"(?<!\w)@(?=\W{0,4}(?:all|channel|everyone|here|room|topic)\b|&?\d|\*)|<(?=at\b)",
    re.IGNORECASE,
)
"""What calls everybody in a chat, a role or an account of it: a page must not do that."""
_QUIET = r"\g<0>" + "\u200b"


class Message(NamedTuple):
    """A message; ``html`` is the same as ``text``, None if a template made that."""

    title: str
    text: str
    html: str | None


def message(fact: Notification, title: str, text: str) -> Message:
    """Return the message of a notification, by the templates if they are not empty.

    Raises TemplateFailed. Templates may take any time and memory.
    """
    own = _own_message(fact)
    values = {} if not title and not text else _values(fact, own)
    return Message(
        _quiet(" ".join(_filled("title", title, values).split()) if title else own.title),
        _quiet(_filled("body", text, values) if text else own.text),
        None if text else _quiet(own.html or ""),
    )


def _own_message(fact: Notification) -> Message:
    notice = notice_text(fact)
    lines = [notice] if notice is not None else []
    if fact.returned is not None:
        lines.append(f"The page {returned_text(fact.returned)}.")
    if fact.number is not None:
        lines.append(number_text(fact.number))
    html = "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
    link = escape(fact.url)
    return Message(
        headline(fact),
        "\n".join([*lines, *filter(None, [entries_text(fact.diffs)]), fact.url]),
        f'{html}{entries_html(fact.diffs)}<p><a href="{link}">{link}</a></p>',
    )


def _values(fact: Notification, own: Message) -> dict[str, Any]:
    """Return what templates may show: the body of a webhook's notification, and our own texts."""
    absent = {"title": "", "reason": "", "returned": None, "pictureChange": None, "number": None}
    return {
        **absent,
        **json.loads(body(fact)),
        "test": fact.test,
        "heading": own.title,
        "text": own.text,
    }


def _filled(name: str, template: str, values: dict[str, Any]) -> str:
    try:
        text = filled(template, values)
    except TemplateFailed as error:
        raise TemplateFailed(f"the template of its {name} failed: {error}") from None
    if not text.strip():
        raise TemplateFailed(f"the template of its {name} makes no text")
    return text


def _quiet(text: str) -> str:
    return _MENTION.sub(_QUIET, text)
