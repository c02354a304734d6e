"""``vokter list``: the subscriptions of a manager, from the store."""

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import AsJson, DataDir, OfManager, settings_of
from streams.effects.clock import now

if TYPE_CHECKING:
    from connectors.stores.pages import ListedSubscription
    from streams.settings import Settings

app = command_app()


@app.command("list")
def list_command(
    manager: OfManager = "default",
    url: Annotated[str, typer.Option(help="Only documents with this text in their URL.")] = "",
    client: Annotated[
        str, typer.Option("--to", help="Only webhooks or sessions with this text in their name.")
    ] = "",
    tag: Annotated[str, typer.Option(help="Only those with this tag.")] = "",
    name: Annotated[str, typer.Option(help="Only those with this text in their name.")] = "",
    failing: Annotated[
        bool, typer.Option("--failing", help="Only documents that could not be fetched last time.")
    ] = False,
    lost: Annotated[
        bool,
        typer.Option(
            "--lost", help="Only those that no longer find their part, or are logged out."
        ),
    ] = False,
    flapping: Annotated[
        bool, typer.Option("--flapping", help="Only documents that go back to earlier texts.")
    ] = False,
    ended: Annotated[
        bool, typer.Option("--all", help="Also those that were cancelled or expired.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List subscriptions with the state of their documents.

    Reads the store, which may lag by some seconds.
    """
    from streams.cli.jobs.listing_view import print_json_list, print_list

    at = now() if flapping else None
    wanted = Filter(url, client, failing, lost, ended, flapping_at=at, tag=tag, name=name)
    found = asyncio.run(read_subscriptions(settings_of(data_dir=data_dir), manager, wanted))
    (print_json_list if as_json else print_list)(found, now())


@dataclass(frozen=True, slots=True)
class Filter:
    """The subscriptions to list; each text is found anywhere, in any case.

    With ``flapping_at`` a time (epoch ms), only subscriptions of documents flapping then. A ``tag``
    is a whole tag.
    """

    url: str = ""
    client: str = ""
    failing: bool = False
    lost: bool = False
    ended: bool = False
    flapping_at: int | None = None
    tag: str = ""
    name: str = ""

    def admits(self, listed: "ListedSubscription") -> bool:
        """Return whether a subscription is listed."""
        subscription = listed.subscription
        return (
            self.url.casefold() in subscription.document_url.casefold()
            and self.client.casefold() in subscription.receiver.name.casefold()
            and self.name.casefold() in subscription.name.casefold()
            and (self.ended or listed.ended is None)
            and (not self.failing or listed.failures > 0)
            and (not self.lost or listed.lost_since is not None)
            and (self.flapping_at is None or listed.flapping_until > self.flapping_at)
        )


async def read_subscriptions(
    settings: "Settings", manager: str, wanted: Filter
) -> list["ListedSubscription"]:
    """Read a manager's subscriptions, oldest first; raises StoreRefused or StoreUnavailable."""
    from schemas.records.tags import canonical_tag
    from streams.cli.setup.existing_store import PAGE, existing_store, listing_pages

    tag = canonical_tag(wanted.tag)
    async with existing_store(settings) as store:
        read = partial(store.subscriptions.page, manager, limit=PAGE, tag=tag)
        pages = listing_pages(read)
        return [each async for page in pages for each in page.items if wanted.admits(each)]
