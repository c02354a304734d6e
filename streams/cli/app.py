"""The command ``vokter``: all commands together, and how their errors are shown."""

import sys
from typing import Annotated

import typer
from aiokafka.errors import KafkaConnectionError, KafkaError
from pydantic import ValidationError

from connectors.api.access.keys import InvalidApiKeys
from connectors.http.self_check import LimitsNotEnforced
from connectors.kafka.claims import AnotherKey, StoreElsewhere
from connectors.kafka.requests import RequestTimedOut
from connectors.kafka.topics import TopicsError
from connectors.registry.client import RegistryRefused, RegistryUnavailable
from connectors.signing_key import InvalidSigningKey
from connectors.stores.errors import StoreRefused, StoreUnavailable
from infra.errors import InfraError
from streams.cli.dead_letters import commands as dead_letters
from streams.cli.demo import commands as demo
from streams.cli.demo.demo import NothingSeen
from streams.cli.discovery import NotRunning
from streams.cli.health import commands as health
from streams.cli.jobs import commands as jobs
from streams.cli.jobs import keys, redelivery_commands, transfer_commands
from streams.cli.jobs.redelivery import NothingToRedeliver
from streams.cli.jobs.requests import Refused
from streams.cli.jobs.transfer import NotAllImported
from streams.cli.local import commands as local
from streams.cli.local.locks import AlreadyRunning
from streams.cli.local.readiness import NotReady
from streams.cli.local.supervisor import end_with_parent
from streams.cli.output import say
from streams.cli.setup import commands as setup
from streams.engine.errors import UnexpectedLibrary
from streams.logs import configure_logs
from streams.settings import Settings, secret_fields, variable

app = typer.Typer(
    name="vokter",
    help="Watch web pages, and notify webhooks when words appear or disappear.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(local.app)
app.add_typer(demo.app)
app.add_typer(jobs.app)
app.add_typer(transfer_commands.app)
app.add_typer(health.app)
app.add_typer(redelivery_commands.app)
app.add_typer(setup.topics, name="topics")
app.add_typer(setup.store, name="store")
app.add_typer(setup.signing_key, name="signing-key")
app.add_typer(keys.app, name="keys")
app.add_typer(dead_letters.app, name="dead-letters")

EXPECTED = (
    AlreadyRunning,
    AnotherKey,
    InfraError,
    InvalidApiKeys,
    InvalidSigningKey,
    KafkaError,
    LimitsNotEnforced,
    LookupError,
    NotAllImported,
    NotReady,
    NotRunning,
    NothingSeen,
    NothingToRedeliver,
    Refused,
    RegistryRefused,
    RegistryUnavailable,
    RequestTimedOut,
    StoreElsewhere,
    StoreRefused,
    StoreUnavailable,
    TopicsError,
    UnexpectedLibrary,
)
"""Errors whose text says all that the user needs."""


def main() -> None:
    """Run a command; an expected error ends it with a message instead of a traceback."""
    try:
        app()
    except ValidationError as error:
        _say_invalid_settings(error)
        sys.exit(2)
    except KafkaConnectionError as error:
        servers = Settings().kafka or "the local broker's address"
        say(f"Error: no Kafka broker answers at {servers} ({error}).")
        say("  Is it running? If it requires TLS or a password, set VOKTER_KAFKA_SECURITY.")
        sys.exit(1)
    except EXPECTED as error:
        say(f"Error: {error}")
        sys.exit(1)


def _say_invalid_settings(error: ValidationError) -> None:
    secrets = {variable(name) for name in secret_fields()}
    seen = set[str]()
    for fault in error.errors():
        name = variable(str(fault["loc"][0]))  # what follows is the position in a list
        if name not in seen:
            value = "" if name in secrets else f" (it is {fault['input']!r})"
            say(f"{name}: {fault['msg'].removeprefix('Value error, ')}{value}")
        seen.add(name)


@app.callback()
def common(
    context: typer.Context,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Set up logs before any command runs."""
    is_service = context.invoked_subcommand in ("worker", "api")
    settings = Settings()
    configure_logs(settings.log_level, settings.log_format, for_a_person=not is_service)
    if with_parent:
        end_with_parent()
