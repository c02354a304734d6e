"""The sender of notifications to channels: one message per call."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from secrets import token_hex
from zoneinfo import ZoneInfo

from connectors.channels.channel import Channel, channel_of
from connectors.channels.processes import SendingProcesses
from connectors.channels.work import Dated, Egress, Links, Work
from connectors.credentials.errors import CredentialsUnusable, InvalidCredentials
from connectors.languages.formats import day_and_minute
from connectors.languages.texts import ENGLISH, LANGUAGES, spoken
from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest, channel_name, channel_url
from schemas.records.credentials import CHANNEL_KIND, Credentials
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver

NOT_NOW = "Nothing can be sent for you now: other messages of yours wait. Try again later."
RETRY_AFTER_S = 5

LoadChannel = Callable[[str, str], Awaitable[Channel]]
"""Loads a manager's channel by its name; raises CredentialsUnusable."""


class ChannelSender:
    """Sends notifications to the channels of their managers."""

    def __init__(
        self,
        processes: SendingProcesses,
        load: LoadChannel,
        egress: Callable[[], Egress],
        links: Callable[[Notification], Links],
        language: str = ENGLISH.tag,
    ) -> None:
        """``egress`` returns where channels may be: its own ports may change.

        ``links`` returns those of a message to Vokter's page; the processes have no key to sign.
        ``language`` is the tag of that of channels which choose none.
        """
        self._processes = processes
        self._load = load
        self._egress = egress
        self._links = links
        self._language = language

    async def digest(self, manager: str, client_url: str) -> Digest | None:
        """Load the times of a channel's digests; None without digests, or if unusable.

        Raises OSError when the fault is ours.
        """
        try:
            channel = await self._load(manager, channel_name(client_url) or "")
        except CredentialsUnusable:
            return None
        return channel.digest

    async def send(
        self, manager: str, client_url: str, notifications: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        """Send notifications of a manager to the channel of a client URL, together.

        A single notification looks like a digest only in a channel with digests. A failure of the
        channel is returned, not raised. Raises OSError when the fault is ours.
        """
        try:
            channel = await self._load(manager, channel_name(client_url) or "")
        except CredentialsUnusable as error:
            return WebhookResponse(None, str(error))
        is_digest = is_digest and (len(notifications) > 1 or channel.digest is not None)
        return await self._send(manager, channel, notifications, is_digest)

    async def _send(
        self,
        manager: str,
        channel: Channel,
        notifications: Sequence[Notification],
        is_digest: bool,
    ) -> WebhookResponse:
        language = channel.language or self._language
        digest: tuple[Dated, ...] = ()
        if is_digest:
            times = notifications[-1].times
            own = times.timezone if times is not None else "UTC"
            tz = ZoneInfo(channel.digest.timezone if channel.digest is not None else own)
            with spoken(LANGUAGES[language]):
                dates = [
                    "" if each.test else day_and_minute(datetime.fromtimestamp(each.at / 1000, tz))
                    for each in notifications
                ]
            digest = tuple(map(Dated, notifications, dates, map(self._links, notifications)))
        work = Work(
            channel.address,
            self._egress(),
            None if is_digest else notifications[0],
            title=channel.title,
            body=channel.body,
            digest=digest,
            links=self._links(notifications[0]),
            language=language,
        )
        answer = await self._processes.send(manager, work)
        return WebhookResponse(answer.status, answer.reason, answer.retry_after)

    async def test(self, manager: str, name: str, url: str) -> WebhookResponse:
        """Send a test message, with a link to ``url``, to a channel; raises as ``send`` does.

        A channel with digests gets a digest of the test, at once.
        """
        try:
            channel = await self._load(manager, name)
        except CredentialsUnusable as error:
            return WebhookResponse(None, str(error))
        return await self.test_channel(manager, name, channel, url)

    async def test_channel(
        self, manager: str, name: str, channel: Channel, url: str
    ) -> WebhookResponse:
        """Send the same to a channel outside the store."""
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
        return await self._send(manager, channel, [fact], channel.digest is not None)

    async def check(self, manager: str, given: Credentials) -> None:
        """Raise InvalidCredentials if a channel's address is none; nothing is sent.

        Raises OSError when the fault is ours.
        """
        if given.kind != CHANNEL_KIND:
            return
        work = Work(channel_of(given).address, self._egress())
        reason = (await self._processes.send(manager, work)).reason
        if reason:
            raise InvalidCredentials(f"channel: {reason}")
