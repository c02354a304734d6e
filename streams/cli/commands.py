"""``vokter`` with all its commands; those of one kind are in a module beside this one."""

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
from connectors.stores.base import StoreRefused, StoreUnavailable
from infra.errors import InfraError
from streams.cli.dead_letters import commands as dead_letters
from streams.cli.health import commands as health
from streams.cli.jobs import commands as jobs
from streams.cli.jobs import keys, redelivery, requests, transfer, transfer_commands
from streams.cli.local import commands as local
from streams.cli.local import demo
from streams.cli.local.children import end_with_parent
from streams.cli.local.deployment import NotReady
from streams.cli.local.running import AlreadyRunning, NotRunning
from streams.cli.text import say
from streams.logs import configure_logs
from streams.settings import Settings, secret_fields, variable

app = typer.Typer(
    name="vokter",
    help="Watches web documents and tells when the words you care about appear or disappear.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(local.app)
app.add_typer(jobs.app)
app.add_typer(transfer_commands.app)
app.add_typer(health.app)
app.add_typer(health.topics, name="topics")
app.add_typer(health.store, name="store")
app.add_typer(health.signing_key, name="signing-key")
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
    RequestTimedOut,
    NotReady,
    NotRunning,
    RegistryRefused,
    RegistryUnavailable,
    StoreElsewhere,
    StoreRefused,
    StoreUnavailable,
    TopicsError,
    demo.NothingSeen,
    requests.Refused,
    redelivery.NothingToRedeliver,
    transfer.NotAllImported,
)


def main() -> None:
    """Run a command; what can be expected to go wrong ends with one clear line."""
    try:
        app()
    except ValidationError as error:
        secrets = {variable(name) for name in secret_fields()}
        for fault in error.errors():
            field = "_".join(map(str, fault["loc"]))
            shown = "" if variable(field) in secrets else f" (it is {fault['input']!r})"
            say(f"{variable(field)}: {fault['msg'].removeprefix('Value error, ')}{shown}")
        sys.exit(2)
    except KafkaConnectionError as error:
        where = Settings().kafka or "the address of the local broker"
        say(f"Error: no Kafka broker answers at {where}. Is it running? ({error})")
        say("If it wants TLS or a password: VOKTER_KAFKA_SECURITY and what goes with it.")
        sys.exit(1)
    except EXPECTED as error:
        say(f"Error: {error}")
        sys.exit(1)


@app.callback()
def common(
    context: typer.Context,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Say on every command what goes for all."""
    is_service = context.invoked_subcommand in ("worker", "api")
    settings = Settings()
    configure_logs(settings.log_level, settings.log_format, for_a_person=not is_service)
    if with_parent:
        end_with_parent()
