"""The script of a text, and the languages that are written in it."""

from collections import Counter
from functools import lru_cache
from unicodedata import name

LATIN, CHINESE = "LATIN", "CJK"
"""Scripts are named as in the names of Unicode's letters."""
_KANA, _HANGUL = ("HIRAGANA", "KATAKANA"), "HANGUL"

_LANGUAGES: dict[str, tuple[str, ...]] = {
    CHINESE: ("zh", "ja", "ko"),
    "CYRILLIC": ("ru", "uk", "bg", "mk", "sr", "be", "kk", "ky", "mn", "tg", "tt"),
    "ARABIC": ("ar", "fa", "ur", "ps", "ug", "ku", "sd"),
    "DEVANAGARI": ("hi", "mr", "ne"),
    "GREEK": ("el",),
    "HEBREW": ("he", "yi"),
    "ARMENIAN": ("hy",),
    "GEORGIAN": ("ka",),
    "BENGALI": ("bn", "as"),
    "GURMUKHI": ("pa",),
    "GUJARATI": ("gu",),
    "TAMIL": ("ta",),
    "TELUGU": ("te",),
    "KANNADA": ("kn",),
    "MALAYALAM": ("ml",),
    "SINHALA": ("si",),
    "THAI": ("th",),
    "LAO": ("lo",),
    "MYANMAR": ("my",),
    "ETHIOPIC": ("am", "ti"),
    "KHMER": ("km",),
}
"""The languages of each script but Latin, the most frequent one first."""
_BY_LETTERS = {LATIN, "CYRILLIC", "ARABIC", "DEVANAGARI"}
"""Scripts of several languages, which only sequences of letters tell apart."""

_OWN_LETTERS: dict[str, dict[str, frozenset[str]]] = {
    "CYRILLIC": {
        "uk": frozenset("їєґі"), "be": frozenset("ўі"), "sr": frozenset("ђјљњћџ"),
        "mk": frozenset("ѓѕјљњќџ"), "kk": frozenset("әғқңөұүһі"), "ky": frozenset("ңөү"),
        "mn": frozenset("өү"), "tg": frozenset("ғӣқӯҳҷ"), "tt": frozenset("әөүҗңһ"),
    },
    "ARABIC": {
        "ur": frozenset("ٹڈڑںےہھ"), "ps": frozenset("ټډړږښګڼېۍ"), "ku": frozenset("ڕڵێۆەھ"),
        "ug": frozenset("ېۆۇۈۋەھڭ"), "sd": frozenset("ٻڀٺٽٿڄڃڇڊڌڍڏڙڦڳڱڻھ"),
    },
}  # fmt: skip
"""Letters beyond those of Russian, or of Arabic and Persian; langdetect knows few of these."""
_OWN_SHARE = 300
"""A text is in a language from one of its own letters in so many on: others are of names."""

_CHINESE_WEIGHT = 3
"""Latin letters that say as much as one Chinese character."""
_SHARE = 3
"""A text is in another script than Latin from a third of its letters on: the rest are keys."""
_KANA_SHARE = 10
"""A text is Japanese from a tenth of kana on: Chinese has some in names."""


class Letters:
    """The letters of a text, counted by their script."""

    def __init__(self, text: str) -> None:
        """Count them."""
        self.text = text
        self._scripts = {each: _script(each) for each in set(text)}
        self._counts = Counter[str]()
        for letter, count in Counter(text).items():
            self._counts[self._scripts[letter]] += count
        del self._counts[""]

    @property
    def count(self) -> int:
        """The letters of the main script, in Latin ones."""
        return self._weight(self.script)

    @property
    def script(self) -> str:
        """The main script, "" without letters.

        >>> Letters('{"title": "Новости сегодняшнего дня", "link": "https://d.test/"}').script
        'CYRILLIC'
        """
        weights = {each: self._weight(each) for each in _LANGUAGES}
        most = max(weights, key=weights.__getitem__)
        if weights[most] * _SHARE > self._counts[LATIN] + sum(weights.values()):
            return most
        return LATIN if self._counts[LATIN] else ""

    def in_script(self) -> str:
        """Return the text without the words of other scripts than the main one."""
        script = self.script
        others = {ord(each): " " for each, known in self._scripts.items() if known != script}
        return self.text if script == LATIN else self.text.translate(others)

    @property
    def most_frequent(self) -> str:
        """The language that most texts in the main script have; "" in Latin."""
        return next(iter(_LANGUAGES.get(self.script, ())), "")

    def language(self) -> str:
        """Return the language if the script alone says it, else ""."""
        script = self.script
        if not script or script in _BY_LETTERS:
            return self._by_own_letters()
        if script != CHINESE:
            return _LANGUAGES[script][0]
        kana, every = self._kana, self._weight(CHINESE) // _CHINESE_WEIGHT
        if self._counts[_HANGUL] > kana:
            return "ko" if self._counts[_HANGUL] * _SHARE > every else ""
        return "ja" if kana * _KANA_SHARE > every else ""

    def _by_own_letters(self) -> str:
        """Return the language with the letters of the text, "" if there may be several.

        Of several languages one counts if all others have its letters as well.
        """
        known, text = _OWN_LETTERS.get(self.script, {}), self.text.lower()
        every = frozenset[str]().union(*known.values())
        seen = {each for each in every if text.count(each) * _OWN_SHARE > self.count}
        fitting = {each: letters for each, letters in known.items() if seen and seen <= letters}
        least = (
            each
            for each, letters in fitting.items()
            if all(letters <= others for others in fitting.values())
        )
        return next(least, "")

    def chinese_or_japanese(self) -> str:
        """Return the language of a text in Chinese characters, by those that one of them has."""
        own = sum(
            _is_in(each, "shift_jis") - _is_in(each, "gb2312", "big5")
            for each, script in self._scripts.items()
            if script == CHINESE
        )
        return "ja" if own > 0 or (own == 0 and self._kana) else "zh"

    @property
    def _kana(self) -> int:
        return sum(self._counts[each] for each in _KANA)

    def _weight(self, script: str) -> int:
        if script != CHINESE:
            return self._counts[script]
        return _CHINESE_WEIGHT * (self._counts[CHINESE] + self._counts[_HANGUL] + self._kana)


def fits(language: str, script: str) -> bool:
    """Return whether a language is written in a script; in Latin, any may be for a while."""
    return script not in _LANGUAGES or language in _LANGUAGES[script]


@lru_cache(maxsize=10_000)
def _script(letter: str) -> str:
    return name(letter, "").partition(" ")[0] if letter.isalpha() else ""


def _is_in(character: str, *encodings: str) -> bool:
    for encoding in encodings:
        try:
            character.encode(encoding)
        except UnicodeEncodeError:
            continue
        return True
    return False
