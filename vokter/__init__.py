"""Vokter for Python programs: watch documents and handle notifications of their changes.

Begin with JobManager; examples/library.py is a complete program. Programs that read or write the
topics themselves use ``vokter.topics``, plug-ins ``vokter.plugins``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vokter.library import *  # noqa: F403
    from vokter.library import __all__ as __all__


def __getattr__(name: str) -> Any:
    """Load the library when a program uses it: every process imports this package, in a wheel."""
    return getattr(import_module("vokter.library"), name)
