"""``vokter evidence …``: the signed origin of a notification, from the store."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streams.cli.discovery import with_broker
from streams.cli.groups import command_app
from streams.cli.options import DataDir, Manager, result_of, settings_of
from streams.cli.output import print_json, say

if TYPE_CHECKING:
    from connectors.evidence_key import EvidenceKey
    from streams.settings import Settings

app = command_app("Save where a notification comes from, signed, and check such a file.")


@app.command("save")
def save(
    notification: Annotated[str, typer.Argument(help="The notification's id (webhook-id).")],
    file: Annotated[Path, typer.Argument(help="Where to save it, as JSON.")],
    manager: Manager = "default",
    data_dir: DataDir = None,
) -> None:
    """Save a notification with its change, the texts before and after it, and hashes, signed.

    Needs the deployment's signing key.
    """
    from streams.cli.setup.existing_store import existing_store
    from streams.effects.evidence import evidence_source

    settings = with_broker(settings_of(data_dir=data_dir))

    async def load() -> dict[str, Any]:
        async with existing_store(settings) as store:
            key = await _load_key(settings)
            build = await evidence_source(store, key).load(manager, notification)
        if build is None:
            raise LookupError(
                f"There is no notification {notification!r} of the manager {manager!r}, or it is "
                "not kept any more (VOKTER_RETENTION)."
            )
        return build()

    found = result_of(load())
    file.write_text(json.dumps(found), "utf-8")
    say(f"Saved {file}, signed with the key {found['key']['kid']}.")


@app.command("check")
def check(
    file: Annotated[typer.FileBinaryRead, typer.Argument(help="What was saved; - for stdin.")],
    key: Annotated[
        str | None, typer.Option(help="Only if it was signed with this key (its id).")
    ] = None,
) -> None:
    """Check that a saved file is as it was signed, and print what was signed as JSON.

    Needs no deployment.
    """
    from connectors.api.history.evidence import check_evidence
    from connectors.evidence_key import SignatureRefused

    try:
        evidence = json.load(file)
        statement = check_evidence(evidence, key)
    except (ValueError, RecursionError):
        raise SignatureRefused(f"{file.name} is no JSON.") from None
    print_json(statement)
    say(f"As it was signed with the key {evidence['key']['kid']}.")
    if key is None:
        say("Compare this id with that of the deployment: 'vokter evidence key'.")


@app.command("key")
def show_key(data_dir: DataDir = None) -> None:
    """Print the public key with which this deployment signs, as JSON; kid is its id."""
    print_json(result_of(_load_key(with_broker(settings_of(data_dir=data_dir)))).public)


async def _load_key(settings: "Settings") -> "EvidenceKey":
    """Load the deployment's key for evidence. Raises InvalidSigningKey."""
    from connectors.evidence_key import EvidenceKey
    from connectors.signing_key import InvalidSigningKey
    from streams.cli.setup.preparation import deployed_signing_key

    key = await deployed_signing_key(settings)
    if key is None:
        raise InvalidSigningKey(
            "Evidence is signed with a key that follows from the deployment's signing key, and "
            "this machine does not have it: set VOKTER_SIGNING_KEY, or use GET /evidence/ID."
        )
    return EvidenceKey(key)
