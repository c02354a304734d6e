"""The number of examples that Hypothesis tries: a tenth of it where they are always the same."""

import os

from hypothesis import settings

NEW = bool(os.environ.get("VOKTER_NEW_EXAMPLES"))
"""Whether new examples are looked for, as `make test-all` does."""
ALL = 100
"""Of a test that names no number."""


def at_most(count: int) -> int:
    """Return the number of examples of a test that looks for ``count`` new ones."""
    return count if NEW else max(count // 10, 5)


def examples(count: int) -> settings:
    """Try so many new examples of a test, or a tenth of them."""
    return settings(max_examples=at_most(count))
