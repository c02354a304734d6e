"""Detects the language in which a text is written."""

UNDETERMINED = "und"

_SLICES = 4
_SLICE = 500
_SURE = 0.7
RELIABLE = 80
"""Letters of a text from which on its language is detected better than declared.

Lines of the corpus in bench/news with 60 to 79 letters are detected in 95 of 100 cases, those with
20 to 29 in 71; what their pages declare was right in all.
"""


def detect_language(text: str, declared: str = "") -> str:
    """Return the ISO 639-1 code of the language of a text, or ``und`` if none is likely.

    A language that the document declares is that of a text that is too short to detect it, and of
    one in which none is likely.

    At most 2,000 characters are looked at, spread over the text. The same text always has
    the same language::

        detect_language("The guard has a hundred eyes, and never sleeps with all of them.")  # "en"
        detect_language("3.14")                                                              # "und"
        detect_language("Storm lantern", "en")                                               # "en"
    """
    if declared and sum(map(str.isalpha, _sample(text))) < RELIABLE:
        return declared
    # A worker has others detect languages, so it can do without numpy and langdetect: 21 MB.
    from streams.text.detector import likely_language  # noqa: PLC0415

    return likely_language(_sample(text), _SURE) or declared or UNDETERMINED


def _sample(text: str) -> str:
    if len(text) <= _SLICES * _SLICE:
        return text
    step = (len(text) - _SLICE) // (_SLICES - 1)
    return "\n".join(text[at * step : at * step + _SLICE] for at in range(_SLICES))
