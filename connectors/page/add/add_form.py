"""The form to add a watch: its fields as a request, and where an error belongs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext, msgid
from connectors.page.asking import code_text
from connectors.page.filters import HERE
from schemas.records.channels import channel_url
from schemas.records.codes import Code
from schemas.records.faults import Refusal
from schemas.records.numbers import FIRST
from schemas.records.previews import PickedPart

SENDS = ("here", "webhook", "channel")
"""The receivers to which news can be sent."""
UNITS = {"seconds": 1, "minutes": 60, "hours": 3_600, "days": 86_400}
"""Units of the interval, in seconds."""
PATIENCES = (
    ("", msgid("at once")),
    ("3 visits", msgid("when 3 visits have found it")),
    ("3600", msgid("when it has stood for an hour")),
    ("86400", msgid("when it has stood for a day")),
)
"""The choices of patience: the value sent, and its meaning."""
ENDS = (
    ("", msgid("as usual here")),
    ("10", msgid("stop after 10 failures in a row")),
    ("never", msgid("never stop")),
)
"""The choices for an unreadable page."""
MAX_DIGITS = 12
"""The most digits of a number."""
DEPTHS = (
    ("", msgid("this page alone")),
    ("1", msgid("the pages that it links to")),
    ("2", msgid("two links away")),
    ("3", msgid("three links away")),
    ("5", msgid("five links away")),
)
"""The watched part of a site, by the depth of the crawl."""
_FIELDS = {
    "patience": "patience",
    "documentUrl": "url",
    "clientUrl": "webhook",
    "keywords": "keywords",
    "interval": "interval",
    "maxInterval": "longest",
    "hours": "hours",
    "timezone": "timezone",
    "maxPerDay": "per_day",
    "rule": "rule",
    "summaryWish": "summary_wish",
    "summaryLanguage": "summary_language",
    "holdUnjudged": "rule",
    "failingAfter": "failing_after",
    "maxFailures": "ends",
    "name": "name",
    "view.stock": "stock",
    "tags": "tags",
    "view.credentials": "credentials",
    "view.render": "render",
    "view.screenshot": "screenshot",
    "view.select": "part",
    "view": "part",
    "view.number": "number",
    "view.number.pick": "pick",
    "view.number.locale": "locale",
    "view.number.currency": "currency",
    "when": "number",
    "when.below": "below",
    "when.above": "above",
    "when.changesBy": "changes_by",
    "crawl.depth": "crawl",
    "crawl.maxPages": "max_pages",
    "when.margin": "margin",
}
_NUMBER = {name: name for name in ("pick", "locale", "currency")}
_CONTEXTS = {"prefix": "prefix", "suffix": "suffix"}
_CONDITIONS = {"below": "below", "above": "above", "changesBy": "changes_by", "margin": "margin"}
MAX_TITLE = 200
WORDS, NUMBER, STOCK = "words", "number", "stock"
"""The kinds of watches."""
KINDS = {WORDS: msgid("the words"), NUMBER: msgid("the number"), STOCK: msgid("the stock")}
_KIND_NAMES = {
    WORDS: msgid("%(page)s (words)"),
    NUMBER: msgid("%(page)s (number)"),
    STOCK: msgid("%(page)s (stock)"),
}
LONGEST = {
    "21600": msgid("check less often, up to 6 hours apart"),
    "86400": msgid("check less often, up to a day apart"),
    "604800": msgid("check less often, up to a week apart"),
}
"""The choices of the longest interval: seconds, and the text for people."""
_IN_QUOTES = {"exact": "quote", "prefix": "prefix", "suffix": "suffix"}
_ORDER = (
    "url",
    "keywords",
    "number",
    "below",
    "above",
    "changes_by",
    "margin",
    *_NUMBER,
    "stock",
    "rule",
    "summary_wish",
    "summary_language",
    "webhook",
    "channel",
    "part",
    "quote",
    "prefix",
    "suffix",
    "interval",
    "longest",
    "name",
    "tags",
    "hours",
    "per_day",
    "timezone",
    "patience",
    "ends",
    "failing_after",
    "crawl",
    "max_pages",
    "credentials",
    "render",
    "screenshot",
    "",
)


def wordless_error(keywords: Sequence[str]) -> str:
    """Return the error for keywords without a word.

    >>> wordless_error(["€", "?!"])
    'Enter a keyword with a letter or a digit, or leave the field empty; never found: € ?!'
    """
    if not "".join(keywords).strip():
        return gettext(
            "There are only blanks: enter a keyword, or leave the field empty for any change."
        )
    return gettext(
        "Enter a keyword with a letter or a digit, or leave the field empty; "
        "never found: %(keywords)s",
        keywords=" ".join(keywords),
    )


@dataclass(frozen=True, slots=True)
class AddForm:
    """The values of the fields.

    A part of the page is chosen ``by`` its CSS selector (``part``) or by its words (``quote``).
    ``title`` is the title of the previewed page.
    """

    url: str = ""
    by: str = "css"
    part: str = ""
    quote: str = ""
    prefix: str = ""
    suffix: str = ""
    keywords: str = ""
    interval: str = "10"
    unit: str = "minutes"
    longest: str = ""
    send: str = "here"
    webhook: str = ""
    credentials: str = ""
    channel: str = ""
    tags: str = ""
    ignore_case: bool = True
    stemming: bool = False
    render: bool = False
    screenshot: bool = False
    dropped: bool = False
    notices: bool = False
    failing_after: str = "1"
    ends: str = ""
    name: str = ""
    title: str = ""
    stock: bool = False
    number: bool = False
    pick: str = FIRST
    locale: str = ""
    currency: str = ""
    below: str = ""
    above: str = ""
    changes_by: str = ""
    margin: str = ""
    patience: str = ""
    hours: str = ""
    timezone: str = ""
    per_day: str = ""
    crawl: str = ""
    max_pages: str = ""
    rule: str = ""
    summary: bool = False
    summary_wish: str = ""
    summary_language: str = ""

    @property
    def words(self) -> list[str]:
        r"""The keywords, one a line; any change without a keyword.

        A number or a stock needs none.

        >>> AddForm(keywords=" zeus \n\n hera").words, AddForm().words
        (['zeus', 'hera'], ['*'])
        """
        words = [line.strip() for line in self.keywords.splitlines() if line.strip()]
        return words or ([] if self.number or self.stock else ["*"])

    @property
    def seconds(self) -> int | str:
        """The interval in seconds, or the text of its field if not a number.

        >>> AddForm(interval="2", unit="hours").seconds, AddForm(interval="often").seconds
        (7200, 'often')
        """
        number = _number(self.interval)
        return number * UNITS[self.unit] if isinstance(number, int) else number

    @property
    def tag_list(self) -> list[str]:
        """The tags, between commas.

        >>> AddForm(tags="gods, , prices").tag_list
        ['gods', 'prices']
        """
        return [tag.strip() for tag in self.tags.split(",") if tag.strip()]

    @property
    def receiver(self) -> dict[str, str]:
        """The receiver, by REST's names."""
        if self.send == "channel":
            return {"clientUrl": channel_url(self.channel)}
        return {"session": HERE} if self.send == "here" else {"clientUrl": self.webhook}

    @property
    def is_more(self) -> bool:
        """Whether a rare option is chosen."""
        return bool(
            self.credentials
            or self.render
            or self.screenshot
            or self.notices
            or self.dropped
            or self.crawl
        )

    @property
    def kind(self) -> str:
        """The kind of the watch, of a form for a single watch."""
        return NUMBER if self.number else STOCK if self.stock else WORDS

    @property
    def watches(self) -> "list[AddForm]":
        """The forms of the watches in this form: words, a number and a stock are apart.

        The part is the number's, if there is a number. Of several, all but the first get a name.

        >>> both = AddForm(keywords="lamp", number=True, part="#price", title="Lamps")
        >>> [(each.words, each.number, each.part, each.name) for each in both.watches]
        [(['lamp'], False, '', ''), ([], True, '#price', 'Lamps (number)')]
        """
        words, stock = self.keywords.strip(), self.stock
        if words and not (self.number or stock):
            return [self]
        whole = {"part": "", "quote": ""} if self.number else dict[str, Any]()
        found = [replace(self, number=False, stock=False, **whole)] if words else []
        if self.number:
            found.append(replace(self, keywords="", stock=False))
        if stock:
            found.append(replace(self, keywords="", number=False, **whole))
        first, *others = found or [self]
        called = self.name or self.title or self.url
        return [
            first,
            *(
                replace(each, name=gettext(_KIND_NAMES[each.kind], page=called[:150]))
                for each in others
            ),
        ]


def read_form(fields: Mapping[str, Any]) -> AddForm:
    """Read the fields of a form."""

    def text(name: str) -> str:
        return str(fields.get(name, "")).strip()

    return AddForm(
        url=text("url"),
        by="quote" if text("by") == "quote" else "css",
        part=text("part"),
        quote=text("quote"),
        # Blanks around a quote belong to it.
        prefix=str(fields.get("prefix", "")),
        suffix=str(fields.get("suffix", "")),
        keywords=str(fields.get("keywords", "")),
        interval=text("interval"),
        longest=text("longest") if text("longest") in LONGEST else "",
        unit=text("unit") if text("unit") in UNITS else "seconds",
        send=text("send") if text("send") in SENDS else "here",
        webhook=text("webhook"),
        credentials=text("credentials"),
        channel=text("channel"),
        tags=text("tags"),
        ignore_case="ignore_case" in fields,
        stemming="stemming" in fields,
        render="render" in fields,
        screenshot="screenshot" in fields,
        dropped="dropped" in fields,
        notices="notices" in fields,
        failing_after=text("failing_after") or "1",
        ends=text("ends") if text("ends") in dict(ENDS) else "",
        name=text("name"),
        title=text("title")[:MAX_TITLE],
        stock="stock" in fields,
        number="number" in fields,
        pick=text("pick") or FIRST,
        locale=text("locale"),
        currency=text("currency"),
        below=text("below"),
        above=text("above"),
        changes_by=text("changes_by"),
        margin=text("margin"),
        patience=text("patience") if text("patience") in dict(PATIENCES) else "",
        hours=text("hours"),
        timezone=text("timezone"),
        per_day=text("per_day"),
        crawl=text("crawl"),
        max_pages=text("max_pages"),
        rule=text("rule"),
        summary="summary" in fields,
        summary_wish=text("summary_wish"),
        summary_language=text("summary_language"),
    )


def with_part(form: AddForm, part: PickedPart) -> AddForm:
    """Return a form with the selectors of a picked part.

    "By its words" stays chosen, or is chosen if the part has no better selector.
    """
    quote = part.quote.quote if part.quote else None
    css = part.css.css if part.css else None
    is_quote = quote is not None and (form.by == "quote" or part.selectors[0] == part.quote)
    return replace(
        form,
        by="quote" if is_quote else "css",
        part=css or "",
        quote=quote.exact if quote else "",
        prefix=quote.prefix if quote else "",
        suffix=quote.suffix if quote else "",
    )


def request_body(form: AddForm) -> dict[str, Any]:
    """Return the form as the body of ``POST /subscribe``.

    >>> request_body(AddForm(url="https://example.org/", part="h1"))["view"]
    {'select': [{'css': 'h1'}]}
    """
    optional = {
        "name": form.name,
        "maxInterval": int(form.longest or 0),
        "notifyDropped": form.dropped,
        "maxFailures": _number(form.ends),
        "tags": form.tag_list,
        "view": _view(form),
        "when": _chosen(form, _CONDITIONS) if form.number else {},
        "crawl": _crawl(form) if form.crawl else {},
        "rule": form.rule,
        "summary": form.summary,
        "summaryWish": form.summary_wish if form.summary else "",
        "summaryLanguage": form.summary_language if form.summary else "",
    }
    notices = {"notifyFailures": True, "failingAfter": _number(form.failing_after)}
    return {
        "documentUrl": form.url,
        **form.receiver,
        "keywords": form.words,
        "interval": form.seconds,
        "ignoreCase": form.ignore_case,
        "enableStemming": form.stemming,
        **(notices if form.notices else {}),
        **_patience(form.patience),
        **_times(form),
        **{name: value for name, value in optional.items() if value},
    }


def _patience(chosen: str) -> dict[str, int]:
    if chosen.endswith(" visits"):
        return {"patienceVisits": int(chosen.removesuffix(" visits"))}
    return {"patience": int(chosen)} if chosen else {}


def _times(form: AddForm) -> dict[str, int | str]:
    """Return when somebody is notified elsewhere: this page has no hours."""
    if form.send == "here" or not (form.hours or form.per_day):
        return {}
    per_day = _number(form.per_day)
    found = {"hours": form.hours, "maxPerDay": per_day, "timezone": form.timezone}
    return {name: value for name, value in found.items() if value != ""}


def _crawl(form: AddForm) -> dict[str, Any]:
    asked = {"depth": form.crawl, "maxPages": form.max_pages}
    return {name: _number(text) for name, text in asked.items() if text}


def _number(text: str) -> int | str:
    """Return a number, or a text which REST refuses."""
    return int(text) if text.isdecimal() and len(text) < MAX_DIGITS else text


def _chosen(form: AddForm, names: Mapping[str, str]) -> dict[str, str]:
    """Return the filled fields of a form by REST's names."""
    return {name: value for name, field in names.items() if (value := getattr(form, field))}


def _view(form: AddForm) -> dict[str, Any]:
    quote = {"quote": {"exact": form.quote, **_chosen(form, _CONTEXTS)}} if form.quote else None
    selector = quote if form.by == "quote" else {"css": form.part} if form.part else None
    found = {
        "select": [selector] if selector else [],
        "credentials": form.credentials,
        "render": form.render or form.screenshot,
        "screenshot": form.screenshot,
        "stock": form.stock,
    }
    number: dict[str, Any] = {"number": _chosen(form, _NUMBER)} if form.number else {}
    return number | {name: value for name, value in found.items() if value}


def field_errors(refusal: Refusal) -> dict[str, str]:
    """Return the errors by their fields, in their order on the page.

    The name is empty for an error about the whole form.

    >>> from schemas.records.faults import format_fault, refusal_by
    >>> field_errors(refusal_by([format_fault("interval: 60 to 100 seconds are allowed")]))
    {'interval': '60 to 100 seconds are allowed'}
    """
    if not refusal.faults:
        detail = "" if refusal.code == Code.CONFLICT else refusal.detail  # it is for programs
        return {"": shown_reason(detail) or code_text(refusal.code)}
    found: dict[str, str] = {}
    for fault in refusal.faults:
        name = next(filter(None, map(_field, fault.field.split(", "))), "")
        why = shown_reason(fault.reason if name else fault.detail)
        found.setdefault(name, why[:1].upper() + why[1:] or code_text(fault.code))
    return dict(sorted(found.items(), key=lambda each: _ORDER.index(each[0])))


def _field(where: str) -> str | None:
    """Return the field for a name in REST such as ``view.select[0].quote.exact``."""
    _, is_quote, inner = where.partition(".quote")
    if is_quote:
        return _IN_QUOTES.get(inner.removeprefix("."), "quote")
    return _FIELDS.get(where) or _FIELDS.get(where.partition("[")[0])
