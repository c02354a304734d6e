"""``vokter doctor``: checks all needs of a deployment, with remedies."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict

import typer
from aiokafka.errors import KafkaError
from rich.console import Console
from rich.markup import escape

from streams.cli.checks.deployment import all_findings
from streams.cli.checks.finding import Finding, Level, failed_check
from streams.cli.health.repair import repair
from streams.cli.output import print_json
from streams.cli.progress import waited_for
from streams.settings import Settings

MARKS = {Level.OK: "[green]✓", Level.WARNING: "[yellow]!", Level.ERROR: "[red]✗"}


async def run(settings: Settings, *, repairs: bool = False, as_json: bool = False) -> None:
    """Print each finding at once; raises typer.Exit(1) after an error.

    With ``repairs`` the ticker is asked to compare its watches with the register at the end.
    """
    console, worst = Console(highlight=False), Level.OK
    # Closed by us: a pipe may end before, as that to head, with clients still open.
    async with aclosing(_findings(settings, repairs=repairs)) as findings:
        async for finding in waited_for(findings, "checking"):
            worst = finding.level if finding.level is Level.ERROR else worst
            if as_json:
                print_json(asdict(finding) | {"level": finding.level.value})
            else:
                show(console, finding)
    if worst is Level.ERROR:
        raise typer.Exit(1)


def show(console: Console, finding: Finding) -> None:
    """Print a finding, and what to do, as lines for people."""
    about = f"{MARKS[finding.level]}[/] [bold]{escape(finding.about)}[/]"
    console.print(f"{about}: {escape(finding.text)}", soft_wrap=True)
    if finding.remedy:
        console.print(f"    {escape(finding.remedy)}", soft_wrap=True)


async def _findings(settings: Settings, *, repairs: bool) -> AsyncGenerator[Finding, None]:
    async with aclosing(all_findings(settings)) as found:
        async for finding in found:
            yield finding
    if repairs:
        try:
            yield await repair(settings)
        except (KafkaError, OSError, LookupError) as error:
            yield failed_check("repair", error, "Fix what is wrong above, then repair again.")
