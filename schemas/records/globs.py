"""Patterns with ``*`` for any number of characters."""


def matches_glob(pattern: str, text: str) -> bool:
    """Return whether a text matches a pattern, quickly with any pattern and text.

    >>> matches_glob("https://example.org/*/a", "https://example.org/b/c/a")
    True
    """
    first, *parts = pattern.split("*")
    if not parts:
        return text == pattern
    if not text.startswith(first):
        return False
    at, last = len(first), parts.pop()
    # What is between two stars is taken where it is first, and never looked for again. A regular
    # expression goes back to each star: four of them and one letter are work for a minute.
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(text) - at >= len(last) and text.endswith(last)
