"""All commands by name: their module, which is imported when they run, and the line in --help."""

from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import typer

from streams.cli.groups import CommandGroup


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command or a group of commands: ``MODULE:VARIABLE`` of its Typer app, and its help."""

    app: str
    help: str


_LOCAL = "streams.cli.local.commands:app"
_REQUESTS = "streams.cli.jobs.requests:app"
_TRANSFER = "streams.cli.jobs.transfer:app"
_SETUP = "streams.cli.setup.commands:app"
_HEALTH = "streams.cli.health.commands:app"

COMMANDS = {
    "up": CommandEntry(
        _LOCAL,
        "Run everything on this machine: all agents, the API, and a broker if you have none.",
    ),
    "worker": CommandEntry(
        _LOCAL,
        "Run one worker of an agent, or of several in one process. Run as many as you like.",
    ),
    "api": CommandEntry(_LOCAL, "Serve the REST API."),
    "demo": CommandEntry(
        "streams.cli.demo.commands:app",
        "Watch small local pages that change every few seconds, and show each step.",
    ),
    "watch": CommandEntry(
        "streams.cli.jobs.watch:app",
        "Print changes of a page that add or remove these words, until Ctrl-C.",
    ),
    "try": CommandEntry(
        "streams.cli.jobs.try_page:app",
        "Fetch a page once, and show what Vokter sees of it.",
    ),
    "backtest": CommandEntry(
        "streams.cli.jobs.backtest:app",
        "Show what a subscription would have been notified of by the changes that are kept.",
    ),
    "reprocess": CommandEntry(
        "streams.cli.jobs.reprocess:app",
        "Read kept pages again with the readers and stemmers that run now, or in another view.",
    ),
    "suppressed": CommandEntry(
        "streams.cli.jobs.suppressed:app",
        "List what a language model did not let pass, newest first, and why.",
    ),
    "list": CommandEntry(
        "streams.cli.jobs.listing:app",
        "List subscriptions with the state of their documents.",
    ),
    "pages": CommandEntry(
        "streams.cli.jobs.crawl:app",
        "List the pages that a crawl covers, and say why it covers a page or does not.",
    ),
    "picture": CommandEntry(
        "streams.cli.jobs.pictures:app",
        "Save the picture that was taken with the text of a page (view.screenshot).",
    ),
    "series": CommandEntry(
        "streams.cli.jobs.series:app",
        "Print what the number of a page has been, oldest first (view.number).",
    ),
    "subscribe": CommandEntry(
        _REQUESTS,
        "Watch a document, and notify a webhook or a session when words appear or disappear.",
    ),
    "check": CommandEntry(
        _REQUESTS,
        "Visit pages as soon as that is allowed, also after failures, and say when that is.",
    ),
    "pause": CommandEntry(
        _REQUESTS, "Pause subscriptions: no notifications until they are resumed."
    ),
    "resume": CommandEntry(_REQUESTS, "Resume paused subscriptions."),
    "rename": CommandEntry(
        _REQUESTS, "Give a subscription another name; it keeps its id and its history."
    ),
    "stop": CommandEntry(
        _REQUESTS, "Cancel subscriptions in a minute; until then 'vokter undo' keeps them."
    ),
    "undo": CommandEntry(
        _REQUESTS, "Undo a stop of the last minute, or all of them: id and history stay."
    ),
    "cancel": CommandEntry(
        _REQUESTS,
        "Cancel subscriptions: one of a webhook or a session, or those of a page, a tag or all.",
    ),
    "test": CommandEntry(_REQUESTS, "Send a test notification to a webhook or a session."),
    "backfill": CommandEntry(
        _REQUESTS, "Notify a webhook or a session of changes that are kept, marked as history."
    ),
    "rotate": CommandEntry(
        _REQUESTS, "Change the secret that signs a webhook's notifications, and print it."
    ),
    "tail": CommandEntry(
        "streams.cli.jobs.tail:app",
        "Print the messages on a topic as JSON lines, as they arrive, until Ctrl-C.",
    ),
    "mcp": CommandEntry(
        "streams.cli.jobs.mcp:app",
        "Serve the Model Context Protocol to an assistant, which starts this command.",
    ),
    "search": CommandEntry(
        "streams.cli.jobs.search:app",
        "Find words in the changes that your watches saw, newest first.",
    ),
    "export": CommandEntry(
        _TRANSFER,
        "Print all subscriptions as JSON lines, for a backup or another deployment.",
    ),
    "import": CommandEntry(
        _TRANSFER,
        "Subscribe to what 'vokter export' has printed, or to watches of another tool.",
    ),
    "evidence": CommandEntry(
        "streams.cli.history.evidence:app",
        "Save where a notification comes from, signed, and check such a file.",
    ),
    "history": CommandEntry(
        "streams.cli.history.history_table:app",
        "Save the changes that are kept as a table: one row for each sentence that changed.",
    ),
    "redeliver": CommandEntry(
        "streams.cli.jobs.redelivery:app",
        "Notify a webhook again, with the same id and body, whether delivered before or given up.",
    ),
    "doctor": CommandEntry(_HEALTH, "Check the deployment, and say how to fix what is wrong."),
    "status": CommandEntry(
        _HEALTH, "Show workers, partitions, lag and memory of each agent, until Ctrl-C."
    ),
    "topics": CommandEntry(
        "streams.cli.setup.commands:topics", "Create the topics of a deployment."
    ),
    "repartition": CommandEntry(
        _SETUP,
        "Add partitions to all topics of a running deployment, so that it can have more workers.",
    ),
    "backup": CommandEntry(
        _SETUP,
        "Save a deployment of one machine, running or not: topics, store, keys and credentials.",
    ),
    "restore": CommandEntry(_SETUP, "Bring a saved deployment back in an empty data folder."),
    "upgrade": CommandEntry(
        _HEALTH, "Say what this release would change in the data folder of 'vokter up'."
    ),
    "store": CommandEntry(
        "streams.cli.setup.commands:store", "Copy the store, or move a deployment to another."
    ),
    "signing-key": CommandEntry(
        "streams.cli.setup.commands:signing_key", "Change the key that webhooks are signed with."
    ),
    "keys": CommandEntry(
        "streams.cli.jobs.keys:app", "Add, list and remove API keys. [VOKTER_API_KEYS]"
    ),
    "credentials": CommandEntry(
        "streams.cli.credentials.commands:app",
        "Set, list and remove credentials for pages behind a login.",
    ),
    "dead-letters": CommandEntry(
        "streams.cli.dead_letters.commands:app",
        "List messages that no agent could handle, show them, and put them back.",
    ),
    "completion": CommandEntry(
        _SETUP,
        "Print the script with which a shell completes commands and options.",
    ),
}

SECTIONS = {
    "Run": ("demo", "up", "worker", "api", "mcp"),
    "Watch": (
        *("watch", "try", "subscribe", "list", "check", "pause", "resume", "rename"),
        *("stop", "undo", "cancel"),
    ),
    "Notify": ("test", "backtest", "backfill", "redeliver", "rotate", "credentials", "tail"),
    "Look back": (
        *("search", "history", "suppressed", "evidence", "series", "picture", "pages"),
        "reprocess",
    ),
    "Operate": (
        *("status", "doctor", "dead-letters", "keys", "export", "import", "topics"),
        *("repartition", "backup", "restore", "upgrade", "store", "signing-key", "completion"),
    ),
}
"""The sections of --help, each with its commands."""


class LazyGroup(CommandGroup):
    """The group of all commands: shows their help without importing them."""

    def __init__(self, **attributes: Any) -> None:
        """Add a placeholder for each command."""
        super().__init__(**attributes)
        for name, entry in COMMANDS.items():
            self.add_command(typer.core.TyperCommand(name, help=entry.help))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands in sections."""
        for title, names in SECTIONS.items():
            self.format_section(formatter, title, names)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; messages about wrong values have no prefix of the checking library."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command itself instead of its placeholder."""
        name, _, rest = super().resolve_command(ctx, args)
        return name, load_command(name or ""), rest


def load_command(name: str) -> Any:
    """Import a command, or a group of commands."""
    group = typer.main.get_group(resolve_name(COMMANDS[name].app))
    return group.commands.get(name, group)
