"""Dead letters: messages too hard for their agent, the reason, and their replay."""

from aiohttp import web
from aiokafka.errors import KafkaError

from connectors.dead_letters.recent import DeadLetterDesk, RecentLetter
from connectors.dead_letters.record import DeadLetterError
from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import PageRefused, Views

NO_ANSWER = msgid("The broker does not answer, or not in time. Try again later.")
MAYBE_BACK = msgid(
    "The broker does not answer, or not in time. Try again later. It may have been put back."
)


class DeadLetterHandlers:
    """The handlers of dead letters."""

    def __init__(self, desk: DeadLetterDesk, views: Views) -> None:
        """List and replay by ``desk``."""
        self._desk = desk
        self._views = views

    async def letters(self, request: web.Request) -> web.Response:
        """Answer with the newest dead letters."""
        try:
            found = await self._desk.recent()
        except (KafkaError, OSError, LookupError):
            raise PageRefused(503, gettext(NO_ANSWER)) from None
        return await self._views.page(
            request,
            "dead-letters",
            title=gettext("Dead letters"),
            letters=found.letters,
            count=found.count,
            origin_of=origin_of,
            printable=printable,
        )

    async def replay(self, request: web.Request) -> web.Response:
        """Put a message back into its topic."""
        name = str((await request.post()).get("letter", ""))
        try:
            await self._desk.replay(name)
        except DeadLetterError as error:
            raise PageRefused(409, gettext("Not put back: %(reason)s.", reason=error)) from None
        except (KafkaError, OSError, LookupError):
            raise PageRefused(503, gettext(MAYBE_BACK)) from None
        raise web.HTTPSeeOther("/dead-letters")


def origin_of(letter: RecentLetter) -> str:
    """Return the topic, partition and offset of a dead letter, for people."""
    return "{} {}:{}".format(*letter.origin) if letter.origin else gettext("an unknown topic")


def printable(start: bytes) -> str:
    """Return how a message begins, in printable characters."""
    text = start.decode("utf-8", "replace")
    return "".join(each if each.isprintable() else "·" for each in text)
