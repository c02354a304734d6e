"""Readers turn documents into text, one small reader for each kind of content."""

from connectors.readers.errors import Unreadable

__all__ = ["Unreadable"]
