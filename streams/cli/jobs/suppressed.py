"""``vokter suppressed``: notifications suppressed by a language model, from the store."""

import asyncio
import json
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.groups import command_app
from streams.cli.options import AsJson, DataDir, OfManager, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from schemas.records.judgements import Suppressed

app = command_app()


@app.command("suppressed")
def suppressed_command(
    manager: OfManager = "default",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many, the newest.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List what a language model did not let pass, newest first, and why.

    Reads the store, which may lag by some seconds.
    """
    from connectors.api.history.suppressed import suppressed_json
    from connectors.stores.packing import OF_MANAGER
    from streams.cli.setup.existing_store import existing_store, first_items

    settings = settings_of(data_dir=data_dir)

    async def read() -> list["Suppressed"]:
        async with existing_store(settings) as store:
            of_client = partial(store.facts.of_client, "suppressed", manager, OF_MANAGER)
            return await first_items(lambda after: of_client(after, limit), limit)

    found = asyncio.run(read())
    if not found and not as_json:
        say("Nothing was suppressed.")
    for each in found:
        print(json.dumps(suppressed_json(each)) if as_json else _text(each))


def _text(fact: "Suppressed") -> str:
    from connectors.display.plain import entries_text, harmless
    from schemas.codec.times import minute_utc

    notification = fact.notification
    sent = f" (sent after all, {minute_utc(fact.sent)})" if fact.sent else ""
    title = harmless(notification.called or notification.url)
    because = harmless(notification.because)
    return f"{minute_utc(fact.at)}  {title}{sent}\n  {notification.id}: {because}\n" + "\n".join(
        f"  {line}" for line in entries_text(notification.diffs).splitlines()
    )
