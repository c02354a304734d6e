"""``vokter export`` and ``vokter import``: subscriptions out of and into a deployment."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from connectors.imports.names import Tool
from streams.cli.discovery import with_broker
from streams.cli.durations import parse_duration
from streams.cli.groups import command_app
from streams.cli.jobs.arguments import parse_client_url, receiver_of
from streams.cli.options import ANSWER_TIMEOUT_S, DataDir, run, settings_of
from streams.cli.output import print_json, say

if TYPE_CHECKING:
    from streams.cli.jobs.imports import Import
    from streams.settings import Settings

app = command_app()

DONE = {"subscribed", "replaced", "unchanged"}
Outcomes = Callable[["Import"], AsyncIterator[dict[str, Any]]]


class NotAllImported(Exception):
    """Some lines were not imported; the result of each says why."""


@app.command("export")
def export_command(
    manager: Annotated[
        str | None, typer.Option(help="Only those of this manager; default: all.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print all subscriptions as JSON lines, for a backup or another deployment.

    Includes paused ones. Snapshots and secrets are not exported.
    """
    from streams.agents.match.register.transfer import written
    from streams.cli.jobs.imports import registered_rows, subscription_in
    from streams.cli.progress import progress

    settings = with_broker(settings_of(data_dir=data_dir))

    async def print_all() -> None:
        known, count = await registered_rows(settings), 0
        with progress("writing", len(known)) as advance:
            for key in sorted(known):  # by document
                subscription = subscription_in(known[key])
                advance(1)
                if manager in {None, subscription.manager}:
                    print_json(written(subscription))
                    count += 1
        say(f"{count} subscriptions.")

    run(print_all())


@app.command("import")
def import_command(
    file: Annotated[
        typer.FileBinaryRead,
        typer.Argument(metavar="FILE", help="JSON lines, or another tool's file; - for stdin."),
    ],
    manager: Annotated[
        str | None, typer.Option(help="Import for this manager, whatever the lines say.")
    ] = None,
    replace: Annotated[bool, typer.Option(help="Replace subscriptions that differ.")] = False,
    secrets: Annotated[
        bool, typer.Option(help="Print each webhook's secret; needs the deployment's signing key.")
    ] = False,
    *,
    tool: Annotated[Tool | None, typer.Option("--from", help="The file is of this tool.")] = None,
    config: Annotated[
        typer.FileBinaryRead | None,
        typer.Option(help="With --from: the tool's configuration, for its job_defaults."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            help="With --from: the webhook to notify; {watch} becomes a watch's id.",
            parser=parse_client_url,
            metavar="URL",
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="With --from, instead of --to: the session to notify.")
    ] = None,
    interval: Annotated[
        int,
        typer.Option(
            help="With --from: time between fetches of watches that say none.",
            parser=parse_duration,
            metavar="DURATION",
        ),
    ] = 600,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --from: print the requests, and make none.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Subscribe to what 'vokter export' has printed, or to watches of another tool.

    Prints the result of each line or watch.

    Existing subscriptions stay as they are, so a file can be imported again.

    New subscriptions get new ids and secrets.

    With --from, each result says what was taken, what differs and what was left out.
    """
    settings = settings_of(data_dir=data_dir)
    from streams.cli.jobs import imports

    if tool is None:
        if to or session or config or dry_run:
            raise typer.BadParameter("--to, --session, --config and --dry-run are for --from")
        outcomes: Outcomes = partial(imports.Import.all, lines=file)
    else:
        asked = imports.asked_watches(tool, file, config, receiver_of(to, session), interval)
        if dry_run:
            for each in asked:
                print_json({**each.named, "request": each.request, **each.remarks})
            return
        outcomes = partial(imports.watch_outcomes, asked)
    run(_import_all(with_broker(settings), outcomes, manager, replace, secrets))


async def _import_all(
    settings: "Settings", outcomes: Outcomes, manager: str | None, change: bool, secrets: bool
) -> None:
    """Subscribe by ``outcomes``, and print each result as a line of JSON.

    Raises NotAllImported at the end if some lines were not imported.
    """
    from streams.cli.jobs.imports import Import, registered_rows
    from streams.cli.progress import progress
    from streams.cli.setup.preparation import deployed_signing_key
    from streams.effects.connections import request_sender

    known = await registered_rows(settings)
    key = await deployed_signing_key(settings) if secrets else None
    counts: Counter[str] = Counter()
    async with request_sender(settings, timeout_s=ANSWER_TIMEOUT_S) as client:
        with progress("importing") as advance:
            async for outcome in outcomes(Import(client, known, manager, change, key)):
                print_json(outcome)
                counts[outcome["result"]] += 1
                advance(1)
    say(", ".join(f"{count} {result}" for result, count in sorted(counts.items())) or "No lines.")
    left = sum(count for result, count in counts.items() if result not in DONE)
    if left:
        raise NotAllImported(f"{left} lines were not imported; see their results")
