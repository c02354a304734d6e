"""Detects the language in which a text is written."""

import json
from functools import lru_cache
from importlib.resources import files

from langdetect.detector_factory import DetectorFactory
from langdetect.lang_detect_exception import LangDetectException

from streams.text.profiles import LetterProfiles, packed_profiles

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
    return _detected(text) or declared or UNDETERMINED


def _detected(text: str) -> str:
    """Return the likely language of a text, empty if none is."""
    # A worker has others detect languages, so it can do without numpy: 20 MB.
    from streams.text.detector import ArrayDetector  # noqa: PLC0415

    detector = ArrayDetector(_factory())
    detector.append(_sample(text))
    try:
        likely = detector.get_probabilities()
    except LangDetectException:  # nothing but digits, punctuation or unknown scripts
        return ""
    if not likely or likely[0].prob < _SURE:
        return ""
    code: str = likely[0].lang
    return code.partition("-")[0]


def _sample(text: str) -> str:
    if len(text) <= _SLICES * _SLICE:
        return text
    step = (len(text) - _SLICE) // (_SLICES - 1)
    return "\n".join(text[at * step : at * step + _SLICE] for at in range(_SLICES))


@lru_cache(maxsize=1)
def _factory() -> DetectorFactory:
    profiles = load_profiles()
    factory = DetectorFactory()
    factory.langlist = profiles.languages
    factory.word_lang_prob_map = profiles
    factory.set_seed(0)
    return factory


def load_profiles() -> LetterProfiles:
    """Load the profiles of all languages, in the order of their names, which decides ties."""
    found = sorted(files("langdetect.profiles").iterdir(), key=lambda each: each.name)
    return packed_profiles(json.loads(each.read_text("utf-8")) for each in found)
