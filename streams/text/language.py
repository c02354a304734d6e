"""Detects the language in which a text is written."""

# ruff: noqa: RUF001, RUF002 - Serbian and Macedonian words are Cyrillic

import re

from streams.text.scripts import CHINESE, Letters, fits

UNDETERMINED = "und"

_SLICES = 4
_SLICE = 250
_SURE = 0.7
_FEW = 40
"""Letters of a text below which the most frequent language of its script goes first if likely."""
RELIABLE = 80
"""Letters of a text from which on its language is detected better than declared.

Lines of the corpus in bench/news with 60 to 79 letters are detected in 95 of 100 cases, those with
20 to 29 in 71; what their pages declare was right in all.
"""


_IN_ADDRESS = "[^\\s\"'<>,\u0080-\U0010ffff]*"
_ADDRESS = re.compile(f"{_IN_ADDRESS}(?:://|www\\.){_IN_ADDRESS}")
_KEY = re.compile(r"^[A-Za-z_][\w.$-]*: ", re.ASCII | re.MULTILINE)
"""Before a value of JSON, which is not in its language."""
_SERBIAN = re.compile(r"\b(?:у|је|су|са|из|као|ће|није|\w{2,}(?:их|ог|ом))\b", re.IGNORECASE)
_MACEDONIAN = re.compile(
    r"\b(?:е|во|со|го|ги|ќе|дека|\w{2,}(?:от|ата|ото|ето|ните|оста|аат))\b", re.IGNORECASE
)
"""Frequent words and endings, by which two languages with the same letters differ."""


def detect_language(text: str, declared: str = "", earlier: str = "") -> str:
    """Return the ISO 639-1 code of the language of a text, or ``und`` if none is likely.

    The script decides if it has one language. Otherwise sequences of letters do. The language that
    the document declares, or else the ``earlier`` one of the document, is that of a text that is
    too short, and of one for which it is likely, too; if it is written in that script.

    At most 1,000 characters are looked at, spread over the text. The same text always has
    the same language::

        detect_language("The guard has a hundred eyes, and never sleeps with all of them.")  # "en"
        detect_language("3.14")                                                              # "und"
        detect_language("Storm lantern", "en")                                               # "en"
        detect_language('{"title": "Новости дня"}', "en")                                    # "ru"
    """
    sample = _ADDRESS.sub(" ", _sample(text))
    letters = Letters(sample if sample.isascii() else _KEY.sub("", sample))
    if language := letters.language():
        return language
    known = (declared, "" if earlier == UNDETERMINED else earlier)
    expected = [each for each in known if each and fits(each, letters.script)]
    if expected and (letters.count < RELIABLE or letters.script == CHINESE):
        return expected[0]
    if letters.script == CHINESE:
        return letters.chinese_or_japanese()
    # A worker has others detect languages, so it can do without numpy and langdetect: 21 MB.
    from streams.text.detector import likely_languages  # noqa: PLC0415

    likely = likely_languages(letters.in_script())
    if "mk" in likely:  # langdetect knows no Serbian, and takes it for Macedonian
        likely = dict.fromkeys(_serbian_and_macedonian(sample), likely["mk"]) | likely
    candidates = [each for each, share in likely.items() if share >= _SURE]
    candidates.insert(0 if letters.count < _FEW else len(candidates), letters.most_frequent)
    found = (each for each in (*expected, *candidates) if each in likely)
    return next(found, "") or next(iter(expected), UNDETERMINED)


def _serbian_and_macedonian(text: str) -> tuple[str, str]:
    """Return the codes of both languages, first the language with more of its words in a text.

    >>> _serbian_and_macedonian("Музеј у центру"), _serbian_and_macedonian("Музеј во центарот")
    (('sr', 'mk'), ('mk', 'sr'))
    """
    serbian, macedonian = (len(each.findall(text)) for each in (_SERBIAN, _MACEDONIAN))
    return ("mk", "sr") if macedonian > serbian else ("sr", "mk")


def _sample(text: str) -> str:
    if len(text) <= _SLICES * _SLICE:
        return text
    step = (len(text) - _SLICE) // (_SLICES - 1)
    return "\n".join(text[at * step : at * step + _SLICE] for at in range(_SLICES))
