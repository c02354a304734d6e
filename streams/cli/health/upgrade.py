"""``vokter upgrade --check``: what this release would change in a data folder."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import typer
from rich.console import Console

from connectors.stores.sqlite.schema import VERSION, version_of
from infra.broker_config import META, STORAGE
from streams.cli.checks.finding import Finding, Level, failed_check
from streams.cli.health.doctor import show
from streams.cli.setup.release import Release, noted_release, this_release
from streams.effects.topics import topic_specs
from streams.settings import Settings
from streams.settings.unknown import UnknownSettings, check_variables

BACK_UP = "Save the folder first, with the older release: vokter backup FILE"
LATER = "Use that release, or restore a backup that this one can read: vokter restore FILE"
PARTITION = re.compile(r"(.+)-\d+")


@dataclass(frozen=True, slots=True)
class FolderState:
    """The parts of a data folder that a release may change.

    ``store`` is the version of the tables in its SQLite file, None without one.
    """

    release: Release | None
    store: int | None
    topics: frozenset[str]


def check(settings: Settings) -> None:
    """Print a line for each part; raises typer.Exit(1) if this release cannot start.

    Raises LookupError if the folder has no deployment.
    """
    wanted = FolderState(
        this_release(), VERSION, frozenset(spec.name for spec in topic_specs(settings))
    )
    findings = [*changes(_found(settings), wanted)]
    try:
        check_variables(os.environ)
        said = Finding(Level.OK, "settings", "all variables are settings of this release")
    except UnknownSettings as error:
        remedy = "Rename or unset them: docs/settings.md lists all."
        said = failed_check("settings", error, remedy)
    findings.append(said)
    console = Console(highlight=False)
    for finding in findings:
        show(console, finding)
    if any(finding.level is Level.ERROR for finding in findings):
        raise typer.Exit(1)


def changes(found: FolderState, wanted: FolderState) -> Iterator[Finding]:
    """Compare a data folder with what a release makes of it.

    >>> new = FolderState(Release("0.2.0", "4.1.1"), 2, frozenset({"vokter.changes"}))
    >>> [each.text for each in changes(new, new)][0]
    'the folder is of 0.2.0, as this is'
    """
    release = wanted.release
    assert release is not None
    if found.release is None:
        yield Finding(Level.WARNING, "release", "the folder does not say its release", BACK_UP)
    else:
        yield _release_finding(found.release.vokter, release.vokter)
        yield _version_finding("broker", "Kafka", found.release.kafka, release.kafka)
    if found.store is not None:
        yield _version_finding("store", "version", str(found.store), str(wanted.store))
    text = ", ".join(
        f"{what}: {' '.join(sorted(names))}"
        for what, names in (
            ("new", wanted.topics - found.topics),
            ("no longer used", found.topics - wanted.topics),
        )
        if names
    )
    yield Finding(Level.OK, "topics", text or f"all {len(wanted.topics)} are there")


def _release_finding(found: str, wanted: str) -> Finding:
    if found == wanted:
        return Finding(Level.OK, "release", f"the folder is of {found}, as this is")
    text = f"the folder is of {found}, and this is {wanted}"
    if _numbers(found) > _numbers(wanted):
        return Finding(Level.ERROR, "release", text, LATER)
    return Finding(Level.OK, "release", f"{text}: docs/compatibility.md, CHANGELOG.md")


def _version_finding(about: str, kind: str, found: str, wanted: str) -> Finding:
    if found == wanted:
        return Finding(Level.OK, about, f"{kind} {found} stays")
    if _numbers(found) > _numbers(wanted):
        text = f"{kind} {found} is later than {wanted}, which is this release's"
        return Finding(Level.ERROR, about, text, LATER)
    text = f"{kind} {found} becomes {wanted} at the first start; the older release cannot go back"
    return Finding(Level.WARNING, about, text, BACK_UP)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _found(settings: Settings) -> FolderState:
    """Read the state of a folder, whose deployment may run."""
    folder, broker, store = settings.data_dir, settings.local_broker, settings.store_file
    if settings.kafka is not None or not (broker / META).exists():
        raise LookupError(
            f"there is no deployment of 'vokter up' in {folder}. For a cluster see "
            "docs/from-one-machine-to-many.md, Upgrades without loss."
        )
    # The broker has a folder for each partition.
    folders = (PARTITION.fullmatch(each.name) for each in (broker / STORAGE).iterdir())
    topics = (each[1] for each in folders if each and each[1].startswith(settings.topic_prefix))
    version = version_of(store) if store is not None and store.exists() else None
    return FolderState(noted_release(folder), version, frozenset(topics))
