"""The command ``vokter``: all commands together, and how their errors are shown."""

import os
import sys
from errno import ENOSPC
from typing import Annotated, Any

import typer

from streams.cli.commands import LazyGroup
from streams.cli.groups import COMPLETION_VARIABLE
from streams.cli.output import say

app = typer.Typer(
    name="vokter",
    cls=LazyGroup,
    help="Watch web pages, and notify webhooks when words appear or disappear.",
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

PRIVATE = 0o077
"""Files are for their owner only: they hold pages, keywords, API keys and the signing key."""
INVALID = "pydantic_core._pydantic_core.ValidationError"
UNKNOWN = "streams.settings.unknown.UnknownSettings"
NO_BROKER = "aiokafka.errors.KafkaConnectionError"
EXPECTED = frozenset(
    {
        "aiokafka.errors.KafkaError",
        "builtins.LookupError",
        "connectors.access.keys.InvalidApiKeys",
        "connectors.credentials.errors.CredentialsUnusable",
        "connectors.credentials.errors.InvalidCredentials",
        "connectors.archives.warc.ArchiveUnreadable",
        "connectors.credentials.errors.TooManyCredentials",
        "connectors.evidence_key.SignatureRefused",
        "connectors.history_files.writers.FormatUnavailable",
        "connectors.http.self_check.LimitsNotEnforced",
        "connectors.imports.draft.UnreadableImport",
        "connectors.kafka.claims.AnotherKey",
        "connectors.kafka.claims.StoreElsewhere",
        "connectors.kafka.requests.RequestTimedOut",
        "connectors.kafka.topics.TopicsError",
        "connectors.registry.client.RegistryRefused",
        "connectors.registry.client.RegistryUnavailable",
        "connectors.running.NotRunning",
        "connectors.openid.errors.ClientSecretUnreadable",
        "connectors.signing_key.InvalidSigningKey",
        "connectors.stores.errors.StoreRefused",
        "connectors.stores.errors.StoreUnavailable",
        "infra.errors.InfraError",
        "streams.cli.demo.demo.NothingSeen",
        "streams.cli.jobs.redelivery.NothingToRedeliver",
        "streams.cli.jobs.refusals.Refused",
        "streams.cli.jobs.reprocess_pages.NothingKept",
        "streams.cli.jobs.reprocess.NoWorker",
        "streams.cli.jobs.transfer.NotAllImported",
        "streams.cli.jobs.try_page.NotReadable",
        "streams.cli.jobs.watch.WatchEnded",
        "streams.cli.local.locks.AlreadyRunning",
        "streams.cli.local.readiness.NotReady",
        "streams.cli.setup.archive.InvalidArchive",
        "streams.cli.setup.backup.NoBackup",
        "streams.cli.setup.repartition.UnfinishedError",
        "streams.repartition.growth.NoGrowth",
        "streams.engine.errors.UnexpectedLibrary",
        "streams.repartition.stopping.StillRunning",
    }
)
"""Errors with complete texts for the user, by name: importing them takes time."""


def run_command() -> None:
    """Run a command; an expected error ends the command with a message instead of a traceback."""
    _complete_if_asked()
    try:
        app()
    except Exception as error:
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
        if INVALID in kinds:
            _say_invalid_settings(error)
            sys.exit(2)
        if UNKNOWN in kinds:
            say(str(error))
            sys.exit(2)
        if NO_BROKER in kinds:
            servers = os.environ.get("VOKTER_KAFKA") or "the local broker's address"
            say(f"Error: no Kafka broker answers at {servers} ({error}).")
            say("  Is it running? If it requires TLS or a password, set VOKTER_KAFKA_SECURITY.")
            sys.exit(1)
        if kinds & EXPECTED:
            say(f"Error: {error}")
            sys.exit(1)
        if isinstance(error, UnicodeEncodeError) and (odd := list(filter(_has_bytes, sys.argv))):
            say(f"Error: an argument is no UTF-8 text: {odd[0]!r}.")
            sys.exit(2)
        if isinstance(error, OSError) and (error.filename or error.errno == ENOSPC):
            _say_disk(error)
            sys.exit(1)
        raise


def _complete_if_asked() -> None:
    if COMPLETION_VARIABLE in os.environ:
        from typer._completion_classes import completion_init  # noqa: PLC0415 - of shells only

        completion_init()


def _has_bytes(argument: str) -> bool:
    """Whether an argument has bytes that are no UTF-8, for which Python puts lone surrogates."""
    return any("\ud800" <= each <= "\udfff" for each in argument)


def _say_disk(error: OSError) -> None:
    file = f" ({error.filename})" if error.filename else ""
    say(f"Error: {error.strerror}{file}.")
    if error.errno == ENOSPC:
        say("  Free some space on the disk, or use another; --data-dir names the data folder.")
    else:
        say("  Check the path and its permissions; --data-dir names another data folder.")


def _say_invalid_settings(error: Any) -> None:
    from streams.settings import secret_fields, variable  # noqa: PLC0415 - loaded when this is raised

    secrets = {variable(name) for name in secret_fields()}
    seen = set[str]()
    for fault in error.errors():
        reason = fault["msg"].removeprefix("Value error, ")
        if not fault["loc"]:  # settings that do not go together, which the reason names
            say(reason)
            continue
        name = variable(str(fault["loc"][0]))  # what follows is the position in a list
        if name not in seen:
            value = "" if name in secrets else f" (it is {fault['input']!r})"
            say(f"{name}: {reason}{value}")
        seen.add(name)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415 - it imports a parser of mail

        print(f"vokter {version('vokter')}")
        raise typer.Exit


@app.callback()
def common(
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
    _: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_say_version, help="Print the version."),
    ] = False,
) -> None:
    """Prepare the process before the command runs."""
    os.umask(PRIVATE)
    if with_parent:
        from streams.cli.local.supervisor import end_with_parent  # noqa: PLC0415 - of `up` only

        end_with_parent()
