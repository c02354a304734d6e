"""Names for plug-ins: a reader decodes a body, and raises Unreadable for one that it cannot read.

A stemmer needs nothing of Vokter.
"""

from connectors.readers.charsets import decode
from connectors.readers.errors import Unreadable

__all__ = ["Unreadable", "decode"]
