"""The command line ``vokter``, one folder for the commands of each kind."""

from streams.cli.app import main

__all__ = ["main"]
