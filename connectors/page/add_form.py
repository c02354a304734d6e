"""The form to add a watch: its fields as a request, and where an error belongs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.codes import Code

HERE = "page"
"""The session of those who read their notifications on this page."""
INTERVALS = (
    (60, "every minute"),
    (600, "every 10 minutes"),
    (3_600, "every hour"),
    (21_600, "every 6 hours"),
    (86_400, "every day"),
)
DEFAULT_INTERVAL = 600
_FIELDS = {
    "documentUrl": "url",
    "clientUrl": "webhook",
    "keywords": "keywords",
    "interval": "interval",
    "view.select": "part",
    "view": "part",
}
_OF_CODE = {
    Code.INVALID_DOCUMENT_URL: "url",
    Code.INVALID_CLIENT_URL: "webhook",
    Code.NO_KEYWORD: "keywords",
}
_INSTEAD = {
    Code.INVALID_DOCUMENT_URL: "Enter the address of a page, beginning with https:// or http://.",
    Code.INVALID_CLIENT_URL: "Enter the address of a webhook, beginning with https:// or http://.",
    Code.NO_KEYWORD: "Enter a keyword with a letter or a digit, or leave the field empty.",
    Code.CONFLICT: "This page is already watched for this receiver.",
}


@dataclass(frozen=True, slots=True)
class AddForm:
    """What stands in the fields."""

    url: str = ""
    part: str = ""
    keywords: str = ""
    interval: str = str(DEFAULT_INTERVAL)
    send: str = "here"
    webhook: str = ""
    ignore_case: bool = True
    stemming: bool = False

    @property
    def words(self) -> list[str]:
        r"""The keywords, of which one stands in each line; any change without one.

        >>> AddForm(keywords=" zeus \n\n hera").words, AddForm().words
        (['zeus', 'hera'], ['*'])
        """
        return [line.strip() for line in self.keywords.splitlines() if line.strip()] or ["*"]

    @property
    def receiver(self) -> dict[str, str]:
        """Who is notified, by REST's names."""
        return {"session": HERE} if self.send == "here" else {"clientUrl": self.webhook}


def read_form(fields: Mapping[str, Any]) -> AddForm:
    """Read the fields that were sent."""

    def text(name: str) -> str:
        return str(fields.get(name, "")).strip()

    return AddForm(
        url=text("url"),
        part=text("part"),
        keywords=text("keywords"),
        interval=text("interval"),
        send="webhook" if text("send") == "webhook" else "here",
        webhook=text("webhook"),
        ignore_case="ignore_case" in fields,
        stemming="stemming" in fields,
    )


def request_body(form: AddForm) -> dict[str, Any]:
    """Return the form as the body of ``POST /subscribe``.

    >>> request_body(AddForm(url="https://example.org/", part="h1"))["view"]
    {'select': [{'css': 'h1'}]}
    """
    interval = form.interval
    return {
        "documentUrl": form.url,
        **form.receiver,
        "keywords": form.words,
        "interval": int(interval) if interval.isdecimal() and len(interval) < 12 else interval,
        "ignoreCase": form.ignore_case,
        "enableStemming": form.stemming,
        **({"view": {"select": [{"css": form.part}]}} if form.part else {}),
    }


def field_error(code: Code, detail: str) -> tuple[str, str]:
    """Return the field that an error is about, empty for the whole form, and what is wrong.

    >>> field_error(Code.INVALID_FORMAT, "interval: 60 to 100 seconds are allowed")
    ('interval', '60 to 100 seconds are allowed')
    """
    text = detail or _INSTEAD.get(code, code.message)
    if code in _OF_CODE:
        return _OF_CODE[code], text
    where, colon, what = detail.partition(": ")
    name = _FIELDS.get(where) or _FIELDS.get(where.partition("[")[0]) if colon else None
    return (name, what[:1].upper() + what[1:]) if name else ("", text)
