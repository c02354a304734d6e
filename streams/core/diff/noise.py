"""Recognises edits of a sentence in which only numbers, times, ids or its form changed.

Each kind has a mask, which puts one sign for all that is of this kind. Two sentences that are
equal under a mask differ in nothing else. An amount is never masked: a number with a currency,
a percent sign or a unit.
"""

import re
from itertools import chain
from unicodedata import category

from streams.core.diff.bounds import common_end, common_start

_MONTH = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|févr(?:ier)?|mar(?:ch|s)?|märz?|apr(?:il)?|avr(?:il)?|"
    "mai|may|june?|juni|juin|july?|juli|juillet|aug(?:ust)?|août|sept?(?:ember|embre)?|"
    "o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|déc(?:embre)?|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_DAY = (
    "mon(?:day|tag)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|"
    "sun(?:day)?|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|"
    "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|"
    "lunes|martes|miércoles|jueves|viernes|sábado|domingo"
)
_SPAN = (
    "s(?:ec(?:ond)?s?)?|min(?:ute)?[sn]?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?|months?|years?|"
    "sekunden?|stunden?|std|tag(?:en?)?|wochen?|monat(?:en?)?|jahr(?:en?)?|"
    "secondes?|heures?|jours?|semaines?|mois|ans?|"
    "segundos?|minutos?|horas?|días?|semanas?|mes(?:es)?|años?"
)
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de |of )?(?:{_MONTH})\b\.?"
    rf"|(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b)"
)
# Versions are written as dates are; few have two digits in each part, none a year.
_DAY_NUMBER, _MONTH_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_NUMBER = r"(?:\d+|an?|ein(?:e[rm]?)?|une?|una?|uno)"
# Where a word begins is tried first, once for all of them: most places are within words.
_TIMES = re.compile(
    r"\b(?:"
    + "|".join(
        [
            r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?\b",
            rf"(?:(?:{_DAY})\.?,? )?{_DATE}(?:,? (?:de )?\d{{4}})?",
            rf"(?:{_DAY_NUMBER}[./]{_MONTH_NUMBER}|{_MONTH_NUMBER}[./]{_DAY_NUMBER})[./](?:19|20)\d\d\b",
            rf"(?<!\d[./])(?=\d\d[./]\d\d[./]){_DAY_NUMBER}[./]{_MONTH_NUMBER}[./]\d\d\b(?![./]\d)",
            rf"(?<!\d[./])(?=\d\d[./]\d\d[./]){_MONTH_NUMBER}[./]{_DAY_NUMBER}[./]\d\d\b(?![./]\d)",
            r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?(?: (?:uhr|utc|gmt|z|[ecmp][sd]?t)\b)?",
            r"\d{1,2} ?[ap]m\b",
            rf"{_NUMBER} (?:{_SPAN}) ago\b",
            rf"\d+(?:{_SPAN}) ago\b",
            rf"vor {_NUMBER} (?:{_SPAN})\b",
            rf"il y a {_NUMBER} (?:{_SPAN})\b",
            rf"hace {_NUMBER} (?:{_SPAN})\b",
            r"(?:just now|yesterday|today|gerade eben|gestern|heute|hier|aujourd'hui|ayer|hoy)\b",
            rf"(?:{_DAY})\b",
        ]
    )
    # From the first digit alone, or long numbers would take minutes.
    + r")|(?<!\d)\d+ ?(?:秒|分(?:钟)?|小时|时间|時間|天|日|週間?|周|か月|ヶ月|个月|年)前",
    re.IGNORECASE,
)
_TIME_WORD = re.compile(
    rf"|[ap]\.?m|ago|just|now|vor|il|y|hace|uhr|utc|gmt|[ecmp][sd]?t|yesterday|today|gerade|eben|"
    rf"gestern|heute|hier|aujourd'hui|ayer|hoy|{_MONTH}|{_DAY}|{_SPAN}|{_NUMBER}|\W+",
    re.IGNORECASE,
)
_IDS = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"
    r"|(?=\w*\d)(?=\w*[a-z])[\w-]{16,}\b)"
    r"|(?<=[?&=/#])(?=[\w%.~-]*\d)[\w%.~-]{6,}"
    r"|(?<=#)\d+\b",
    re.IGNORECASE,
)
_AMOUNT = (
    r"(?:%|‰|\u00b0|[\u20a0-\u20cf$£¥]|(?:eur|usd|gbp|chf|jpy|cny|inr|euros?|dollars?|pounds?|percent|"
    r"prozent|pour|kg|g|mg|km|m|cm|mm|mi|ft|l|ml|kwh|mwh|gwh|kw|mw|gw|w|v|gb|mb|kb|tb|"
    r"million|billion|mio|mrd)\b)"
)
_NUMBERS = re.compile(
    rf"\d(?<![\w.,$£¥\u20a0-\u20cf-]\d)(?<![$£¥\u20a0-\u20cf] \d)\d*"
    rf"(?:[.,' \u202f]\d{{3}})*(?:[.,]\d+)?(?![\w])(?![.,]\d)(?! ?{_AMOUNT})",
    re.IGNORECASE,
)
# Not the sign or the separators of a number: -5, 1.5.
_DIGIT = re.compile(r"\d")
# Characters of what differs in two sentences, and what is looked at around it.
_MAX_LENGTH = 2_000
_AROUND = 24
# Punctuation that is an amount's, an address' or a name's; symbols that are used as punctuation.
_MEANT, _LOOKS = "%‰#@&", "|~^`\u00b4\u00a8"


def _signs() -> str:
    """Return what is form alone: not what has a meaning, such as an arrow, a lock or a vowel."""
    signs = (chr(code) for code in chain(range(0x3100), range(0xFE00, 0xFE70)))
    return "".join(
        sign
        for sign in signs
        if sign not in f"{_MEANT}-_"
        and (category(sign)[0] in "PZ" or category(sign) in ("Cc", "Cf") or sign in _LOOKS)
    )


# Between digits only an underscore is form; before one, a hyphen is a minus.
_FORM = re.compile(
    rf"[{re.escape(_signs())}\ufe00-\ufe0f_-](?:(?<=_)|(?<!-)(?<!\d.)|(?!\d))", re.DOTALL
)


def noise_of(old: str, new: str) -> str:
    """Return what alone differs between two sentences; empty if words or amounts do.

    >>> noise_of("Updated 3 hours ago", "Updated 5 hours ago")
    'times'
    >>> noise_of("212 comments", "214 comments"), noise_of("Price: €1,299", "Price: €1,199")
    ('numbers', '')
    """
    old, new = _differing(old, new)
    if max(len(old), len(new)) > _MAX_LENGTH:
        return ""
    # Most edits are of words, for which the masks need not be tried.
    words = set(old.split()) ^ set(new.split())
    varies = any(map(_DIGIT.search, words)) and all(map(_varies, words))
    for kind, pattern, sign in _MASKS if varies else _MASKS[-1:]:
        old, new = pattern.sub(sign, old), pattern.sub(sign, new)
        if old.casefold() == new.casefold():
            return kind
    return ""


def _varies(word: str) -> bool:
    return bool(_DIGIT.search(word) or _TIME_WORD.fullmatch(word.strip(".,;:()")))


def _differing(old: str, new: str) -> tuple[str, str]:
    """Leave out what is equal at the start and the end, up to some words around the rest."""
    start = common_start(old, new)
    end = common_end(old, new, min(len(old), len(new)) - start)
    start = old.rfind(" ", 0, max(0, start - _AROUND)) + 1
    after = old.find(" ", len(old) - end + _AROUND)
    end = len(old) - after if after >= 0 else 0
    return old[start : len(old) - end], new[start : len(new) - end]


_MASKS = (
    ("times", _TIMES, "\0"),
    ("ids", _IDS, "\1"),
    ("numbers", _NUMBERS, "\2"),
    ("form", _FORM, ""),
)
