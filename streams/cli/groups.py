"""Apps of commands: their help is plain text, in which no sentence is cut."""

from collections.abc import Iterable
from typing import Any

import typer

COMPLETION_VARIABLE = "_VOKTER_COMPLETE"
"""A shell sets this variable to complete a command."""


class CommandGroup(typer.core.TyperGroup):
    """A group which shows the whole first paragraph of each command's help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands; the library would cut their help at the end of a line."""
        self.format_section(formatter, "Commands", self.commands)

    def format_section(self, formatter: Any, title: str, names: Iterable[str]) -> None:
        """List some of the commands under a title."""
        with formatter.section(title):
            texts = [(self.commands[name].help or "").partition("\n\n")[0] for name in names]
            formatter.write_dl(
                [(name, " ".join(text.split())) for name, text in zip(names, texts, strict=True)]
            )


def command_app(about: str | None = None) -> typer.Typer:
    """Return an app for commands, or for a group of them with the help text ``about``.

    The app does without Rich, with which a --help takes twice as long and leaves half of its width
    for sentences.
    """
    return typer.Typer(
        help=about, cls=CommandGroup, no_args_is_help=about is not None, rich_markup_mode=None
    )
