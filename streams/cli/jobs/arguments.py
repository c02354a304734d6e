"""Arguments of several commands."""

from typing import Annotated

import typer

from schemas.records.channels import channel_name
from schemas.records.pages import PAGES_ALLOWED, canonical_document, is_pages
from schemas.records.subscriptions import Receiver
from schemas.records.urls import USERINFO_REFUSED, canonical, without_userinfo
from streams.cli.durations import parse_duration
from streams.values.ids import ID_BEGINNING


def parse_url(text: str) -> str:
    """Return the URL of a document, https if no scheme is named; raises BadParameter.

    Example:
        >>> parse_url("example.org/giants")
        'https://example.org/giants'
    """
    url = text if "://" in text else f"https://{text}"
    if without_userinfo(url) != url:
        raise typer.BadParameter(
            f"{USERINFO_REFUSED} (vokter credentials set NAME --for {without_userinfo(url)} "
            "--basic USER, then --credentials NAME)"
        )
    if canonical(url) is None:
        meant = "" if url == text else f" (read as {url})"
        raise typer.BadParameter(
            f"{text!r} is no http or https URL{meant}; write it as https://example.org/page"
        )
    return url


def parse_page(text: str) -> str:
    """Return the URL of a document as ``parse_url`` does, or an id or its beginning.

    Example:
        >>> parse_page("example.org"), parse_page("35ae0db7")
        ('https://example.org', '35ae0db7')
    """
    return text if ID_BEGINNING.fullmatch(text) else parse_url(text)


def parse_document(text: str) -> str:
    """Return the URL of a document as ``parse_url`` does, or ``pages:…``; raises BadParameter.

    Example:
        >>> parse_document("example.org"), parse_document("pages:*")
        ('https://example.org', 'pages:*')
    """
    if not is_pages(text):
        return parse_url(text)
    if canonical_document(text) is None:
        raise typer.BadParameter(f"{text!r} is not {PAGES_ALLOWED}")
    return text


def parse_client_url(text: str) -> str:
    """Return the URL of a webhook as ``parse_url`` does, or ``channel:NAME``.

    Example:
        >>> parse_client_url("channel:team"), parse_client_url("example.org/hook")
        ('channel:team', 'https://example.org/hook')
    """
    return text if channel_name(text) is not None else parse_url(text)


def receiver_of(to: str | None, session: str | None) -> Receiver:
    """Return the receiver in a command's options; raises BadParameter unless there is exactly one.

    Example:
        >>> receiver_of(None, "my-reader").session
        'my-reader'
    """
    if (to is None) == (session is None):
        raise typer.BadParameter("give either --to WEBHOOK, --to channel:NAME or --session NAME")
    return Receiver(to, session)


Document = Annotated[
    str,
    typer.Argument(
        help="The document to watch; https if no scheme is named. Or of the pages that you watch:"
        " pages:* (all), pages:tag=NAME, pages:*.example.org.",
        parser=parse_document,
        metavar="URL",
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(help="Keywords to watch for; '*' for any change. A number needs none."),
]
Url = Annotated[
    str,
    typer.Argument(
        help="The document to watch; https if no scheme is named.", parser=parse_url, metavar="URL"
    ),
]
Since = Annotated[
    int | None,
    typer.Option(help="Only changes of this time.", parser=parse_duration, metavar="DURATION"),
]
Page = Annotated[
    str,
    typer.Argument(
        help="The watched document, or the id of a subscription or its beginning.",
        parser=parse_page,
        metavar="URL|ID",
    ),
]
ViewOf = Annotated[
    str | None, typer.Option(help="The subscription whose view is meant: its id or its beginning.")
]
