"""Detects the language in which a text is written."""

import json
from functools import lru_cache
from importlib.resources import files

from langdetect.detector_factory import DetectorFactory
from langdetect.lang_detect_exception import LangDetectException

from streams.core.text.profiles import LetterProfiles, packed_profiles

UNDETERMINED = "und"

_SLICES = 4
_SLICE = 500
_SURE = 0.7


def detect_language(text: str) -> str:
    """Return the ISO 639-1 code of the language of a text, or ``und`` if none is likely.

    At most 2,000 characters are looked at, spread over the text. The same text always has
    the same language::

        detect_language("The guard has a hundred eyes, and never sleeps with all of them.")  # "en"
        detect_language("3.14")                                                              # "und"
    """
    detector = _factory().create()
    detector.append(_sample(text))
    try:
        likely = detector.get_probabilities()
    except LangDetectException:  # nothing but digits, punctuation or unknown scripts
        return UNDETERMINED
    if not likely or likely[0].prob < _SURE:
        return UNDETERMINED
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
    factory.langlist = list(profiles.languages)
    factory.word_lang_prob_map = profiles
    factory.set_seed(0)
    return factory


def load_profiles() -> LetterProfiles:
    """Load the profiles of all languages, in the order of their names, which decides ties."""
    found = sorted(files("langdetect.profiles").iterdir(), key=lambda each: each.name)
    return packed_profiles(json.loads(each.read_text("utf-8")) for each in found)
