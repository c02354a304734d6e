"""Captures of pages in archives."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture of a page: when (epoch ms), and where its record begins in a file."""

    at: int
    file: str
    offset: int

    @property
    def place(self) -> str:
        """Its place, for messages."""
        return f"{self.file} at byte {self.offset}"
