"""A server of e-mail that keeps what it gets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from typing import Any

from aiosmtpd.smtp import SMTP


@dataclass(frozen=True, slots=True)
class Mail:
    """An e-mail, to whom it went, its subject and its text as HTML."""

    to: list[str]
    subject: str
    html: str


@dataclass
class Mailbox:
    """What was mailed; ``address`` is that of a channel."""

    address: str
    mails: list[Mail] = field(default_factory=list)

    async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802 - its name
        found = message_from_bytes(envelope.content, policy=policy.default)
        html = found.get_body(("html",))
        text = html.get_content() if html is not None else ""
        self.mails.append(Mail(envelope.rcpt_tos, found["Subject"], text))
        return "250 OK"


@asynccontextmanager
async def open_mailbox() -> AsyncIterator[Mailbox]:
    """Listen on a port of loopback."""
    box = Mailbox("")
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(box), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        box.address = f"mailto://127.0.0.1:{port}/?from=vokter@olympus.test&to=io@olympus.test"
        yield box
