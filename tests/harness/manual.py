"""Commands and outputs of a page, run and compared as they stand there."""

import re
import shlex
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.docs.not_run import is_run
from tests.docs.reading import ROOT, blocks, commands
from tests.harness.commands import Command
from tests.harness.waiting import eventually, until

CHANGE = "echo"
API = "http://127.0.0.1:9000/vokter/v1"
GIANTS, HOOK = "https://example.org/giants", "https://example.com/hook"
SINCE = "2026-11-21T06:00"
"""What stands in the pages."""


class Manual:
    """The commands of a page, each to be taken once, but for those that are not run.

    ``places`` are what stands in the page and what it is here. Output that is shown is
    compared word by word, with ``…`` for anything.
    """

    def __init__(
        self, page: str, folder: Path, env: Mapping[str, str], places: dict[str, str]
    ) -> None:
        for name, line in (("vokter", "-m streams.cli"), ("python", "")):
            program = folder / name
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {line} "$@"\n')
            program.chmod(0o755)
        self._folder = folder
        self._env = {**env, "PATH": f"{folder}:{env['PATH']}", "PYTHONPATH": str(ROOT)}
        self.places = places
        self.left = [command for command in commands(page) if is_run(command)]
        self._shown = blocks(page, "text")

    def start(self, beginning: str, **secrets: str) -> Command:
        """Start the next command that begins so, as a shell does."""
        return self._started(self._next(beginning), secrets)

    async def run(self, beginning: str) -> str:
        """Run the next command that begins so to its good end; return what it printed."""
        return await self._printed(self._next(beginning))

    async def shows_in_the_end(self, beginning: str, text: str) -> str:
        """Run the next command that begins so until it prints a text, for a listing may lag."""
        line = self._next(beginning)

        async def found() -> str | None:
            printed = await self._printed(line)
            return printed if text in printed else None

        return await eventually(found, f"{line!r} prints {text!r}")

    async def shows(self, command: Command) -> None:
        """Wait until a command has printed the lines of the next block of output."""
        lines = [self._here(line) for line in self._shown.pop(0).splitlines() if line != "…"]
        for line in lines:
            pattern = re.compile(".*".join(map(re.escape, line.split("…"))))
            await until(
                lambda p=pattern: p.search(command.out + command.err),  # type: ignore[misc]  # bound now
                f"{line!r} is printed",
            )

    def _next(self, beginning: str) -> str:
        line = next((line for line in self.left if line.startswith(beginning)), None)
        assert line is not None, f"no command {beginning!r} is left in {self.left}"
        self.left.remove(line)
        return line

    def _started(self, line: str, secrets: dict[str, str]) -> Command:
        # One simple command is what bash becomes itself, so that signals reach it.
        env = self._env | secrets
        return Command(env, self._folder, "-c", self._here(line), program=("/bin/bash",))

    async def _printed(self, line: str) -> str:
        words = _words(self._here(line))
        # What needs no shell needs no import of all modules either; what is started has both.
        if words[0] == "vokter" and not _needs_shell(words):
            running = Command(self._env, self._folder, *words[1:])
        else:
            running = self._started(line, {})
        async with running as command:
            result = await command.ended()
        assert result.status == 0, result
        return result.out + result.err

    def _here(self, line: str) -> str:
        for shown, place in self.places.items():
            line = line.replace(shown, place)
        return line


def _words(line: str) -> list[str]:
    """Return the words of a line, and what a shell joins or redirects commands by."""
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def _needs_shell(words: list[str]) -> bool:
    return any("$" in word or not word.strip("();<>|&") for word in words)


Opened = Callable[[str, dict[str, str]], Manual]
"""Takes a page's name, and what stands in it for what it is here."""


def an_hour_ago() -> str:
    return f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M}"
