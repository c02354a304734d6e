"""Languages as documents and servers name them, by tags as in BCP 47."""

import re

_TAG = re.compile(r"([a-z]{2})(?:[-_][a-z0-9]+)*", re.IGNORECASE)
_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id"}
"""Codes of languages with another code in the detection."""


def language_code(tag: str) -> str:
    """Return the language of a tag as in BCP 47, empty if not of two letters.

    Of a list there is none: the languages of the readers are no language of a text.

    >>> language_code("de-CH"), language_code("en, de"), language_code("gsw")
    ('de', '', '')
    """
    found = _TAG.fullmatch(tag.strip())
    code = found[1].lower() if found else ""
    return _SAME.get(code, code)
