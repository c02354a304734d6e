"""Imports structlog without rich: 4 MB in each long-running process.

structlog imports rich, if installed, for tracebacks with all local variables, which no log of ours
has. Imported before any other logging module; rich itself can be imported later.
"""

import sys

if "rich" not in sys.modules:
    sys.modules["rich"] = None  # type: ignore[assignment]  # Python's own way to refuse an import
    import structlog  # noqa: F401

    del sys.modules["rich"]
