"""Readers turn documents into text, one small reader for each kind of content.

A plug-in may raise ``Unreadable``, so that is imported from here.
"""

from connectors.readers.errors import Unreadable

__all__ = ["Unreadable"]
