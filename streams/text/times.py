"""Dates, times of day and ages, as pages write them.

In English, German, French, Spanish, Chinese and Japanese::

    [found[0] for found in TIMES.finditer("On 1 March 2026 at 10:15, not 2 days ago")]
    # ["1 March 2026", "10:15", "2 days ago"]
"""

import re

# In lower case these are words, too, unless a year follows: members may 5 vote.
_AMBIGUOUS = (
    r"(?-i:M(?:ay|AY|arch|ARCH))"
    r"|m(?:ay|arch)(?=,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d\b)"
)
_MONTH = (
    rf"{_AMBIGUOUS}|jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|févr(?:ier)?|mars?|märz?|"
    "apr(?:il)?|avr(?:il)?|mai|june?|juni|juin|july?|juli|juillet|aug(?:ust)?|août|sept?(?:ember|embre)?|"
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

_ABSOLUTE = "|".join(
    [
        r"\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)?)?\b",
        rf"(?:(?:{_DAY})\.?,? )?{_DATE}(?:,? (?:de )?\d{{4}})?",
        rf"(?:{_DAY_NUMBER}[./]{_MONTH_NUMBER}|{_MONTH_NUMBER}[./]{_DAY_NUMBER})[./](?:19|20)\d\d\b",
        rf"(?<!\d[./])(?=\d\d[./]\d\d[./]){_DAY_NUMBER}[./]{_MONTH_NUMBER}[./]\d\d\b(?![./]\d)",
        rf"(?<!\d[./])(?=\d\d[./]\d\d[./]){_MONTH_NUMBER}[./]{_DAY_NUMBER}[./]\d\d\b(?![./]\d)",
        r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?(?: (?:uhr|utc|gmt|z|[ecmp][sd]?t)\b)?",
        r"\d{1,2} ?[ap]m\b",
        rf"(?:{_DAY})\b",
        # The age of a row, but it may be how long something takes.
        r"(?<=\t)\d{1,3}(?:min|mo|[hdwy])(?=\t|\Z)",
    ]
)
_RELATIVE = "|".join(
    [
        rf"{_NUMBER} (?:{_SPAN}) ago\b",
        rf"\d+(?:{_SPAN}) ago\b",
        rf"vor {_NUMBER} (?:{_SPAN})\b",
        rf"il y a {_NUMBER} (?:{_SPAN})\b",
        rf"hace {_NUMBER} (?:{_SPAN})\b",
        r"(?:just now|yesterday|today|gerade eben|gestern|heute|hier|aujourd'hui|ayer|hoy)\b",
    ]
)
# From the first digit alone, or long numbers would take minutes.
_AGE = r"(?<!\d)\d+ ?(?:秒|分(?:钟)?|小时|时间|時間|天|日|週間?|周|か月|ヶ月|个月|年)前"

# Where a word begins is tried first, once for all of them: most places are within words.
TIMES = re.compile(rf"\b(?:(?P<absolute>{_ABSOLUTE})|{_RELATIVE})|{_AGE}", re.IGNORECASE)
"""Finds times; those that are not said from today or now on are in the group ``absolute``."""
TIME_WORD = re.compile(
    rf"|[ap]\.?m|ago|just|now|vor|il|y|hace|uhr|utc|gmt|[ecmp][sd]?t|yesterday|today|gerade|eben|"
    rf"gestern|heute|hier|aujourd'hui|ayer|hoy|may|march|{_MONTH}|{_DAY}|{_SPAN}|{_NUMBER}|\W+",
    re.IGNORECASE,
)
"""Matches a word that dates, times of day and ages are written with, as a whole."""
