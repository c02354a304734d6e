"""Send changes by e-mail, Slack, ntfy and many others, through Apprise.

NOTIFY=ntfy://TOPIC python examples/notify.py URL WORD…

NOTIFY has Apprise's URLs, separated by spaces, such as mailto://USER:PASSWORD@gmail.com,
slack://TOKENA/TOKENB/TOKENC/#news or ntfy://TOPIC (https://appriseit.com lists all of
them). A channel does this without a program. Reads VOKTER_KAFKA, VOKTER_TOPIC_PREFIX and INTERVAL
(seconds).
"""

import asyncio
import os
import sys

from apprise import Apprise, NotifyFormat

from vokter import JobManager, Matches, Options, Session, matches_html, returned_text

KAFKA = os.environ.get("VOKTER_KAFKA", "127.0.0.1:9092")
PREFIX = os.environ.get("VOKTER_TOPIC_PREFIX", "vokter.")
INTERVAL = int(os.environ.get("INTERVAL", "900"))


async def main(url: str, words: list[str], services: Apprise) -> None:
    """Forward changes until Ctrl-C; the subscription stays."""
    async with JobManager("apprise", kafka=KAFKA, prefix=PREFIX) as manager:

        @manager.on_notification
        async def changed(url: str, content_type: str, session: Session, matches: Matches) -> bool:
            # False if a service did not accept it: then it is sent again, and finally
            # becomes a dead letter.
            # Apprise makes plain text or Markdown of HTML where a service needs it.
            returned = matches.returned
            note = f"<p>{returned_text(returned)}</p>" if returned is not None else ""
            sent = await services.async_notify(
                title=f"{matches.title or url} has changed",
                body=note + matches_html(matches),
                body_format=NotifyFormat.HTML,
            )
            return bool(sent)

        @manager.on_timeout
        async def gone(url: str, content_type: str, session: Session) -> bool:
            body = "It failed so often that it is no longer watched."
            return bool(await services.async_notify(title=f"{url} is gone", body=body))

        @manager.on_lost
        async def lost(url: str, reason: str, session: Session) -> bool:
            title = f"{url} has nothing of what you watch"
            return bool(await services.async_notify(title=title, body=reason))

        @manager.on_found
        async def found(url: str, content_type: str, session: Session) -> bool:
            body = "What changed meanwhile follows."
            return bool(await services.async_notify(title=f"{url} is back", body=body))

        @manager.on_failing
        @manager.on_recovered
        async def skipped(url: str, content_type: str, session: Session) -> None:
            """Send no e-mail for a site that is down for a while."""

        session = Session("services")
        options = Options(interval=INTERVAL, ignore_case=True, notify_failures=True)
        await manager.add(url, session, words, options, replace=True)
        print(f"watching {url}", flush=True)
        await manager.run()
        print("the subscription stays; changes from now on are sent at the next start")


if __name__ == "__main__":
    services = Apprise()
    if not services.add(os.environ["NOTIFY"].split()):
        sys.exit("NOTIFY has a URL that Apprise does not know")
    asyncio.run(main(sys.argv[1], sys.argv[2:], services))
