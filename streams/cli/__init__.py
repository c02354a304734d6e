"""The command line ``vokter``; each command is a few lines over a module beside this one."""

from streams.cli.commands import main

__all__ = ["main"]
