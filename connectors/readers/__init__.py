"""Readers turn documents into text, a small reader for each kind of content."""

from connectors.readers.errors import Unreadable

__all__ = ["Unreadable"]
