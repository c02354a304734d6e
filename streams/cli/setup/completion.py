"""``vokter completion``: the script with which a shell completes commands."""

from enum import StrEnum
from typing import Annotated

import typer

from streams.cli.groups import COMPLETION_VARIABLE, command_app

app = command_app()


class Shell(StrEnum):
    """A shell with completion."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@app.command("completion")
def completion_command(
    shell: Annotated[Shell, typer.Argument(help="The shell.", metavar="bash|zsh|fish")],
) -> None:
    """Print the script with which a shell completes commands and options.

    For bash: eval "$(vokter completion bash)" in ~/.bashrc; for zsh the same with zsh in ~/.zshrc,
    after compinit; for fish: vokter completion fish > ~/.config/fish/completions/vokter.fish
    """
    from typer._completion_shared import get_completion_script  # noqa: PLC0415 - of this command only

    print(get_completion_script(prog_name="vokter", complete_var=COMPLETION_VARIABLE, shell=shell))
