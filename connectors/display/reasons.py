"""Reasons of the agents in words of people: records keep the English text, pages translate it.

A reason is translated by the template that it was written by. A new reason without a template
stays English.
"""

import re
from functools import lru_cache

from connectors.display.fault_texts import FAULT_TEXTS
from connectors.languages.formats import number, weekday
from connectors.languages.texts import (
    ENGLISH,
    Language,
    current_language,
    gettext,
    msgid,
)

_OPTIONS = re.compile(r" \((?:(?:view|crawl|when)\.[\w.]+|VOKTER_\w+|PUT /\S+ stores \w+)\)")
_WORDS = {
    "set view.select to where": "pick the part where",
    "set view.select": "pick a part",
    "set view.number.from to text": "pick the part with the price",
    "view.select finds only elements without visible text; use XPath with text() or @attribute": (
        "the part has no text that is shown"
    ),
    "view.select and view.exclude find": "the part finds",
    "view.select": "the part",
    "not with when, by": "not with limits of the number, by",
    "documentContentType, onStatus, view, patience: ": "",
}
"""Names of options, and their labels on the page."""
TEXTS = (
    # The first that fits counts, so what begins another comes after it.
    msgid("below %(limit)s (counts again from %(again)s on)"),
    msgid("above %(limit)s (counts again from %(again)s down)"),
    msgid("below %(limit)s"),
    msgid("above %(limit)s"),
    msgid("changed by %(share)s %% from %(number)s (since %(time)s)"),
    msgid("changed by %(share)s %% from %(number)s"),
    msgid("its hours are %(hours)s (%(zone)s)"),
    msgid("timed out"),
    msgid("too many redirects"),
    msgid("host name look-up failed"),
    msgid("invalid URL"),
    msgid("connection failed"),
    msgid("Connection refused"),
    msgid("Connection reset by peer"),
    msgid("No route to host"),
    msgid("Network is unreachable"),
    msgid("the server closed the connection without a response"),
    msgid("incomplete: the connection ended before the response"),
    msgid("larger than %(num)s bytes"),
    msgid("redirected to an invalid URL"),
    msgid("the site's robots.txt does not allow it"),
    msgid("the site's robots.txt: %(reason)s"),
    msgid("address %(address)s is private or reserved: not allowed"),
    msgid("port %(port)s: only 80, 443 and those from %(least)s are allowed"),
    msgid("there is no reader for the content type %(type)s"),
    msgid("the PDF is encrypted"),
    msgid("the PDF is broken: %(reason)s"),
    msgid("the content is binary, not text"),
    msgid("the content is not JSON: %(reason)s"),
    msgid("the content is not XML, or declares entities"),
    msgid("the page took longer than %(num)s s to read"),
    msgid("the page took longer than %(num)s s"),
    msgid("the page crashed, perhaps because it needs too much memory"),
    msgid("the browser could not load it (%(reason)s)"),
    msgid(
        "nothing on the page matches the part; the nearest passage is only %(share)s like the "
        "quote (%(least)s are needed)"
    ),
    msgid("nothing on the page matches the part"),
    msgid("the part has no text that is shown"),
    msgid(
        "the page states no price for programs (JSON-LD, microdata, Open Graph); pick the part "
        "where it shows the price"
    ),
    msgid("nothing says whether it is in stock; pick the part where the page says it"),
    msgid("there is no number in %(text)s"),
    msgid("a login page instead of the page: redirected to %(address)s"),
    msgid("a login page instead of the page: it asks for a password"),
    msgid("the page is empty"),
    msgid("the page shows no text"),
    msgid("the page only leads to another one: watch that one"),
    msgid("the last visit took long, so other pages of its host go first"),
    msgid(
        "its host is asked for %(num)s times as many visits as it can have, one every %(pause)s s"
    ),
    msgid("its host is asked for %(num)s times as many visits as it can have, one at a time"),
    msgid("other pages of its host"),
    msgid("its server asks to be left alone until %(time)s"),
    msgid("no other host has answered since, so our own connection may be down"),
    msgid("answered %(status)s"),
    msgid("the mail server answered %(status)s"),
    msgid("its receiver has not confirmed that it wants it: %(reason)s"),
    msgid("it is the document of the subscription"),
    msgid("it is not on the host %(host)s"),
    msgid("it is not in the domain %(host)s"),
    msgid("%(pages)s pages are covered"),
    msgid("This needs a key with the role %(needed)s; the role here is %(role)s."),
)
_VALUE = re.compile(r"%\\\((\w+)\\\)s")
_NUMBERS = {"lowest", "highest"}
"""Values of digits alone."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def _pattern(text: str) -> re.Pattern[str]:
    escaped = re.escape(text.replace("%%", "%"))
    return re.compile(_VALUE.sub(_group, escaped), re.DOTALL)


def _group(value: re.Match[str]) -> str:
    allowed = r"[\d,]+" if value[1] in _NUMBERS else ".+"
    return f"(?P<{value[1]}>{allowed})"


_PATTERNS = {
    **{_pattern(text): text for text in (*TEXTS, *FAULT_TEXTS)},
    # English has another form for one.
    re.compile(r"(?P<num>\d+) w(?:as|ere) sent on that day, as many as it wants"): msgid(
        "%(num)s sent on that day, as many as it wants"
    ),
    re.compile(r"1 link from (?P<root>\S+), by (?P<via>\S+)"): msgid(
        "1 link from %(root)s, by %(via)s"
    ),
    re.compile(r"(?P<num>\d+) links from (?P<root>\S+), by (?P<via>\S+)"): msgid(
        "%(num)s links from %(root)s, by %(via)s"
    ),
    re.compile(r"(?P<num>\d+) times in a row, at last: (?P<reason>.+)"): msgid(
        "%(num)s times in a row, at last: %(reason)s"
    ),
}


def plain_reason(text: str) -> str:
    """Return a reason in words of the page, without names of options.

    >>> plain_reason("there is no number in 'Sold out' (view.number)")
    "there is no number in 'Sold out'"
    >>> plain_reason("nothing on the page matches view.select")
    'nothing on the page matches the part'
    """
    text = _OPTIONS.sub("", text)
    for option, words in _WORDS.items():
        text = text.replace(option, words)
    return text


def reason_text(reason: str) -> str:
    """Return a reason in the language of the context.

    >>> from connectors.languages.texts import LANGUAGES, spoken
    >>> with spoken(LANGUAGES["de"]):
    ...     reason_text("the site's robots.txt: timed out")
    'die robots.txt der Website: Zeitüberschreitung'
    """
    language = current_language()
    return reason if language is ENGLISH else _translated(reason, language)


@lru_cache(1_000)
def _translated(reason: str, _: Language) -> str:
    for pattern, text in _PATTERNS.items():
        if match := pattern.fullmatch(reason):
            values = {name: _value(name, each) for name, each in match.groupdict().items()}
            return gettext(text, **values) if values else gettext(text)
    return reason


def _value(name: str, text: str) -> str:
    """Return a value in the language of the context: a text of ours, a day, or a large number."""
    if name in ("reason", "channel"):
        return reason_text(text)
    if name == "weekday":
        return weekday(text.lower().removesuffix("s"))
    is_large = _THOUSANDS.fullmatch(text) is not None
    return number(int(text.replace(",", ""))) if is_large else text


def shown_reason(reason: str | None) -> str:
    """Return a reason of the agents for people, in their language; empty if there is none."""
    return reason_text(plain_reason(reason or ""))
