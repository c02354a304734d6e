"""The sender of notifications to channels: one message per call."""

from collections.abc import Awaitable, Callable
from secrets import token_hex

from connectors.channels.channel import Channel, channel_of
from connectors.channels.processes import SendingProcesses
from connectors.channels.work import SECONDS, Egress, Work
from connectors.credentials.errors import CredentialsUnusable, InvalidCredentials
from schemas.answers import WebhookResponse
from schemas.channels import channel_name, channel_url
from schemas.credentials import CHANNEL_KIND, Credentials
from schemas.notifications import Notification
from schemas.subscriptions import Receiver

SEND_TIMEOUT_S = float(SECONDS)
NOT_NOW = "Nothing can be sent for you now: other messages of yours wait. Try again later."
RETRY_AFTER_S = 5

LoadChannel = Callable[[str, str], Awaitable[Channel]]
"""Loads a manager's channel by its name; raises CredentialsUnusable."""


class ChannelSender:
    """Sends notifications to the channels of their managers."""

    def __init__(
        self, processes: SendingProcesses, load: LoadChannel, egress: Callable[[], Egress]
    ) -> None:
        """``egress`` returns where channels may be: its own ports may change."""
        self._processes = processes
        self._load = load
        self._egress = egress

    async def post(self, client_url: str, notification: Notification) -> WebhookResponse:
        """Send a notification once to the channel that a client URL stands for.

        A failure of the channel is returned, not raised. Raises OSError when the fault is ours.
        """
        name, manager = channel_name(client_url) or "", notification.manager
        try:
            channel = await self._load(manager, name)
        except CredentialsUnusable as error:
            return WebhookResponse(None, str(error))
        work = Work(
            channel.address, self._egress(), notification, title=channel.title, body=channel.body
        )
        answer = await self._processes.answer(manager, work)
        return WebhookResponse(answer.status, answer.reason, answer.retry_after)

    async def test(self, manager: str, name: str, url: str) -> WebhookResponse:
        """Send a test message, with a link to ``url``, to a channel; raises as ``post`` does."""
        fact = Notification(
            id=token_hex(16),
            change="",
            subscription="",
            manager=manager,
            receiver=Receiver(channel_url(name)),
            status="ok",
            url=url,
            content_type="",
            diffs=(),
            truncated=False,
            at=0,
            rotation=0,
            rotated=0,
            watch="",
            test=True,
        )
        return await self.post(channel_url(name), fact)

    async def check(self, manager: str, given: Credentials) -> None:
        """Raise InvalidCredentials if a channel's address is none; nothing is sent.

        Raises OSError when the fault is ours.
        """
        if given.kind != CHANNEL_KIND:
            return
        work = Work(channel_of(given).address, self._egress())
        reason = (await self._processes.answer(manager, work)).reason
        if reason:
            raise InvalidCredentials(f"channel: {reason}")
