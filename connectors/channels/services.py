"""The services of Apprise, as far as allowed for channels."""

import sys
from typing import Any

from apprise import Apprise, AppriseAsset, NotifyFormat
from apprise.common import OverflowMode, PersistentStoreMode
from apprise.plugins import ntfy, url_to_dict
from apprise.plugins.apprise_api import NotifyAppriseAPI
from apprise.plugins.base import NotifyBase
from apprise.plugins.custom_form import NotifyForm
from apprise.plugins.custom_json import NotifyJSON
from apprise.plugins.custom_xml import NotifyXML
from apprise.plugins.email import NotifyEmail
from requests.utils import requote_uri

from connectors.channels.hints import NO_HINTS, Hints
from connectors.channels.message import Message, shortened
from connectors.channels.templates import MAX_TEXT

ASSET = AppriseAsset(
    app_id="Vokter",
    app_desc="Vokter",
    app_url="",
    image_url_mask="",
    image_url_logo="",
    async_mode=False,
    # Each hop would be checked, but an answer of the wrong server is of no use.
    http_redirects=False,
    pgp_autogen=False,
    pem_autogen=False,
    storage_mode=PersistentStoreMode.MEMORY,
    service_timeout=0,  # the process is killed instead
)


MAX_MAIL = 60_000
"""Characters of the text of an e-mail: Apprise would cut the text as for a chat."""
MAX_SUBJECT = 300
"""Bytes of the subject of an e-mail: Apprise writes three for each, in a line of 998 at most."""
_NTFY = (ntfy.NotifyNtfy.protocol, ntfy.NotifyNtfy.secure_protocol)
_MAIL = (NotifyEmail.protocol, NotifyEmail.secure_protocol)
_WEBHOOKS = (NotifyAppriseAPI, NotifyForm, NotifyJSON, NotifyXML)


class InvalidAddress(ValueError):
    """Apprise knows no such service, or the service is forbidden for channels."""


def load_services() -> None:
    """Import all services of Apprise, while modules can still be loaded."""
    open_service("json://127.0.0.1/")
    # It would escape the escapes of a link once more.
    vars(ntfy)["quote"] = lambda link, **_: requote_uri(link)


def open_service(address: str, *, webhooks: bool = True, hints: Hints = NO_HINTS) -> NotifyBase:
    """Return the service of an address; raises InvalidAddress.

    Services other than by HTTP or SMTP would act on this machine, or need missing programs.
    Services which POST to any URL are allowed with ``webhooks``: they answer no challenge. Where a
    service knows ``hints``, they are added to those of the address.
    """
    given = url_to_dict(address)  # type: ignore[no-untyped-call]
    service = Apprise.instantiate(_hinted(given, hints), asset=ASSET) if given else None
    if service is None:
        raise InvalidAddress("it is no complete address of a service that Apprise knows")
    goes_by_http = hasattr(sys.modules[type(service).__module__], "requests")
    if not isinstance(service, NotifyEmail) and not goes_by_http:
        raise InvalidAddress("only services that are reached by HTTP or e-mail are allowed")
    if not webhooks and isinstance(service, _WEBHOOKS):
        raise InvalidAddress("it is a webhook: subscribe with its URL, so that it is challenged")
    return service


def _hinted(given: dict[str, Any], hints: Hints) -> dict[str, Any]:
    """Return the parts of an address with hints; those of its owner stay."""
    if given["schema"] in _MAIL and hints.stop:
        return {**given, "headers": unsubscribing(hints.stop) | given.get("headers", {})}
    if given["schema"] not in _NTFY:
        return given
    tags = [*given.get("xtags", []), *hints.tags]
    return {"click": hints.link or None, "priority": hints.priority, **given, "xtags": tags}


def unsubscribing(link: str) -> dict[str, str]:
    """Return the headers for unsubscribing with a click in a mail program (RFC 8058).

    >>> unsubscribing("https://vokter.example/link/t")["List-Unsubscribe"]
    '<https://vokter.example/link/t>'
    """
    return {
        "List-Unsubscribe": f"<{link}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def room_for_text(service: NotifyBase) -> tuple[int, bool]:
    """Return the most characters of a text, escaped, and whether HTML is allowed."""
    if isinstance(service, NotifyEmail):
        return MAX_MAIL, True
    # Some services get the title as a part of the text.
    title = max(service.title_maxlen, MAX_SUBJECT)
    return max(0, min(service.body_maxlen, MAX_TEXT) - title), False


def send(service: NotifyBase, message: Message) -> bool:
    """Send a message; returns whether the service accepted the message."""
    is_mail = isinstance(service, NotifyEmail)
    html = message.html if is_mail else None
    service.overflow_mode = OverflowMode.TRUNCATE
    if is_mail:
        service.body_maxlen = MAX_MAIL
    services = Apprise(asset=ASSET)
    services.add(service)
    sent = services.notify(
        title=mail_subject(message.title) if is_mail else message.title,
        body=html or shortened(message.text, service.body_maxlen),
        body_format=NotifyFormat.HTML if html else NotifyFormat.TEXT,
    )
    return bool(sent)


def mail_subject(title: str) -> str:
    """Return as much of a title as the subject of an e-mail may have.

    >>> mail_subject("Io has changed")
    'Io has changed'
    """
    start = title.encode(errors="replace")[:MAX_SUBJECT].decode(errors="ignore")
    return title if len(start) == len(title) else f"{start.rstrip()}…"
