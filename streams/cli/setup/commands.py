"""The commands that prepare a deployment: its topics, its store, its signing key."""

from typing import TYPE_CHECKING, Annotated

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, result_of, run, settings_of
from streams.cli.output import say

if TYPE_CHECKING:
    from streams.settings import Settings

topics = command_app("Create the topics of a deployment.")
store = command_app("Copy the store, or move a deployment to another.")
signing_key = command_app("Change the key that webhooks are signed with.")


@topics.command("create")
def topics_create(data_dir: DataDir = None) -> None:
    """Create the topics that are missing, and check the partitions of the others."""
    from streams.cli.setup.preparation import create_all_topics
    from streams.effects.topics import topic_specs

    settings = with_broker(settings_of(data_dir=data_dir))
    say(f"Creating topics on {settings.kafka} ...")
    created = result_of(create_all_topics(settings))
    for name in created:
        print(name)
    say(f"{len(created)} created, {len(topic_specs(settings)) - len(created)} already existed.")


@store.command("claim")
def store_claim(data_dir: DataDir = None) -> None:
    """Make the store in VOKTER_STORE the deployment's, in place of the one that it used."""
    settings = with_broker(settings_of(data_dir=data_dir))
    run(_claim(settings))


@store.command("copy")
def store_copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", help="Store to copy, spelled as in VOKTER_STORE.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TO", help="Store to copy into, spelled as in VOKTER_STORE.")
    ],
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Copy into a store that is not empty.")
    ] = False,
) -> None:
    """Copy a whole store into another one, for example from SQLite to MongoDB.

    Stop all workers first. The same command continues a copy that was interrupted.
    """
    from streams.cli.setup.store_copy import copy_store

    run(copy_store(source, target, overwrite, settings_of().bodies))


@signing_key.command("claim")
def signing_key_claim(data_dir: DataDir = None) -> None:
    """Make this machine's signing key the deployment's; the secrets of all webhooks change.

    Restart the API and all deliver workers afterwards.
    """
    from schemas.codec.signing import fingerprint
    from streams.cli.setup.preparation import claim_signing_key, create_all_topics

    settings = with_broker(settings_of(data_dir=data_dir))
    result_of(create_all_topics(settings))
    key = result_of(claim_signing_key(settings, replace=True))
    say(f"The deployment now signs with the key {fingerprint(key)}.")
    say("Restart the API and deliver. Clients get their new secrets with POST /rotate.")


async def _claim(settings: "Settings") -> None:
    from streams.cli.setup.preparation import prepare_deployment

    location = await prepare_deployment(settings, replace=True)
    say(f"The deployment now uses the store {location}.")
