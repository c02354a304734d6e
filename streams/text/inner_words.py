# ruff: noqa: RUF001 - letters and apostrophes of several scripts
"""Words within a written word: without elision, possessive, suffix or particle.

inner_words("L'Italia's", "it")  # ["Italia"]
inner_words("Ankara'ya", "tr")   # ["Ankara"]
inner_words("삼성에서는", "ko")    # ["삼성에서", "삼성"]
"""

import re
from collections.abc import Iterator

TURKISH = "tr"
"""The language with a capital I that is not an i, and with apostrophes before suffixes."""

MAY_HAVE_INNER = re.compile("['’ʼ\u200c가-힣]")
"""Finds a character without which a word has no other within."""

_ELISIONS = (
    "l|d|qu|j|m|t|s|n|c|v|gl|jusqu|lorsqu|puisqu|quoiqu|presqu|quelqu|"
    "(?:d|n|s|c|qu|b)?[aeou]ll|d?agl|degl|negl|sugl|dov|com|cos|anch|quand|quant|quest|senz|"
    "\\w{0,5}un|buon|grand|nient|tutt|mezz|sant"
)
_ELIDED = re.compile(f"(?:(?:{_ELISIONS})['’ʼ])?(.+?)(?:['’ʼ]s)?", re.IGNORECASE)
_TURKISH = re.compile(
    "(.+)['’ʼ](?:n?[dt][ae](?:n|ki)?|[yns]?[aeıiuü]|n?[ıiuü]n|y?l[ae]|l[ae]r\\w*|[ls][ıiuü]\\w*)"
)
# Plurals, comparatives and possessives of Persian, which a zero-width non-joiner sets off.
_PERSIAN = re.compile("(.{2,})\u200c(?:ها(?:ی|یی|ی?[متش](?:ان)?)?|تر(?:ین)?|ای|ا?[متش]|[متش]ان)")

_AFTER_CONSONANT = "은 이 을 과 으로 으로서 으로써 이나 이랑 이란 이라 이라고 이라는 이며 이다"
_AFTER_VOWEL = "는 가 를 와 로 로서 로써 랑 란 라고 라는 였다"
_AFTER_ANY = (
    "의 에 에서 에게 에게서 께 께서 한테 한테서 도 만 까지 부터 마다 조차 마저 밖에 처럼 보다 만큼 "
    "하고 같이 들 입니다"
)
_PARTICLES = {
    **dict.fromkeys(_AFTER_ANY.split()),
    **dict.fromkeys(_AFTER_CONSONANT.split(), True),
    **dict.fromkeys(_AFTER_VOWEL.split(), False),
}
"""Korean particles, by whether they follow a consonant; None: they follow any letter."""
_LONGEST_PARTICLE = max(map(len, _PARTICLES))
_MOST_PARTICLES = 3
"""Particles that one word has: 사람 + 들 + 에게 + 는."""
_FIRST_SYLLABLE, _LAST_SYLLABLE, _FINALS, _RIEUL = 0xAC00, 0xD7A3, 28, 8


def inner_words(word: str, language: str) -> Iterator[str]:
    """Yield the words within a word of a language (ISO 639-1)."""
    patterns = (_ELIDED, _TURKISH, _PERSIAN) if language == TURKISH else (_ELIDED, _PERSIAN)
    for pattern in patterns:
        found = pattern.fullmatch(word)
        if found and found[1] != word:
            yield found[1]
    for _ in range(_MOST_PARTICLES):
        shorter = _without_particle(word)
        if shorter is None:
            return
        yield shorter
        word = shorter


def _without_particle(word: str) -> str | None:
    for size in range(min(_LONGEST_PARTICLE, len(word) - 1), 0, -1):
        noun, particle = word[:-size], word[-size:]
        if particle in _PARTICLES and _agree(noun[-1], particle):
            return noun
    return None


def _agree(letter: str, particle: str) -> bool:
    """Whether a particle may follow a letter; that of another script is read in either way."""
    follows_consonant = _PARTICLES[particle]
    if follows_consonant is None or not _FIRST_SYLLABLE <= ord(letter) <= _LAST_SYLLABLE:
        return True
    final = (ord(letter) - _FIRST_SYLLABLE) % _FINALS
    if final == _RIEUL and particle.lstrip("으").startswith("로"):
        return not follows_consonant
    return follows_consonant == (final != 0)
