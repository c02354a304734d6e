"""The command line ``vokter``, one folder for the commands of each kind."""

from streams.cli.entry import main

__all__ = ["main"]
