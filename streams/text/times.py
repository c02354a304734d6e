# ruff: noqa: RUF001 - ages are written in many scripts
"""Dates, times of day and ages, as pages write them.

Dates are found in English, German, French and Spanish, ages in some thirty languages::

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
_NUMBER_WORDS = "a|an|ein|eine|einer|einem|un|une|una|uno|um|uma|een|en|et|ett|bir"
_NUMBER = rf"(?:\d+|{_NUMBER_WORDS})"
# Units of an age after one of these words, which have other meanings, too.
_BEFORE = (
    rf"(?:vor|il y a|hace) {{number}} (?:{_SPAN})"
    rf"|há {{number}} (?:{_SPAN}|dias?|anos?)"
    r"|fa {number} (?:segons?|minuts?|hor(?:a|es)|di(?:a|es)|setman(?:a|es)|mes(?:os)?|anys?)"
    r"|(?:před|pred) {number} (?:sek|min|hod|dn|de?ň|t[ýy][dž]|m[ěe]s|let|rok)\w*"
    r"|acum {number} (?:de )?(?:secund[eă]|minute?|or[eă]|zile?|săptămân[iă]|lun[iă]|ani?)"
    r"|πριν (?:από )?{number} (?:δευτερ|λεπτ|[ώω]ρ|(?:ημ|μ)έρ|εβδομ|μήν|χρόν)\w*"
    r"|преди {number} (?:сек|мин|час|дн|ден|сед|мес|год)\w*"
    r"|לפני (?:{number} )?(?:שני|דק|שע|ימים|יום|שבוע|חודש|שנ)\w*"
    r"|(?:منذ|قبل) (?:{number} )?(?:ثا|ثو|دق|ساع|يوم|[أا]يام|[أا]سب|[أا]ساب|شهر|[أا]شهر|سن|عام)\w*"
)
# What ends an age in other languages, whatever its unit.
_BEHIND = (
    "ago|fa|atrás|geleden|sedan|siden|önce|yang lalu|lalu|trước|temu|sitten|ezelőtt|назад|тому|"
    "पहले|पूर्व|پیش|قبل"
)
_DATE = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.)? (?:de |of )?(?:{_MONTH})\b\.?"
    rf"|(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?\b)"
)
# Versions are written as dates are; few have two digits in each part, none a year.
_DAY_NUMBER, _MONTH_NUMBER = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"

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
_WORDS = (
    "just now|yesterday|today|gerade eben|gestern|heute|hier|aujourd'hui|ayer|hoy|"
    "ieri|oggi|ontem|hoje|gisteren|vandaag|i går|igår|i dag|idag|dün|bugün|az önce|wczoraj|"
    "dzisiaj|včera|dnes|tegnap|eilen|tänään|вчера|сегодня|только что|вчора|сьогодні|χθες|σήμερα|"
    "אתמול|היום|أمس|اليوم|دیروز|امروز|kemarin|hôm qua|"
    "昨天|今天|刚刚|昨日|今日|어제|오늘|방금 전|방금전|방금|เมื่อวาน|วันนี้"
)
_RELATIVE = "|".join(
    [
        f"(?:{_BEFORE.replace('{number}', _NUMBER)})\\b",
        rf"(?:{_NUMBER} |\d+|час |минуту |день |неделю )[^\s\d]{{0,14}} ?(?:{_BEHIND})(?!\w)",
        rf"(?:{_WORDS})(?!\w)",
    ]
)
# From the first digit alone, or long numbers would take minutes.
_AGE = (
    r"(?<!\d)\d+ ?(?:(?:秒|分(?:钟|鐘)?|小[时時]|[时時][间間]|天|日|週間?|周|[かヶカ个個]月|年)前"
    r"|(?:초|분|시간|일|주일?|개월|달|년) ?전(?!\w)"
    r"|[\u0e01-\u0e5b]{2,14} ?(?:ที่แล้ว|ที่ผ่านมา|ก่อน))"
)

# Where a word begins is tried first, once for all of them: most places are within words.
TIMES = re.compile(rf"\b(?:(?P<absolute>{_ABSOLUTE})|{_RELATIVE})|{_AGE}", re.IGNORECASE)
"""Finds times; those that are not said from today or now on are in the group ``absolute``."""
_MAX_AGE = 24
# To try the pattern at each short text would take longer than all else that is done with it.
_AGE_BEGINS = frozenset(
    each.lower().partition(" ")[0]
    for each in (
        f"{_WORDS}|{_NUMBER_WORDS}|BİR|vor|il|hace|há|fa|před|pred|acum|πριν|преди|לפני|منذ|قبل|"
        "час|минуту|день|неделю"
    ).split("|")
)
_AGE_ENDS = tuple(f"{_BEHIND}|前|전|ที่แล้ว|ที่ผ่านมา|ก่อน".split("|"))


def is_age(text: str) -> bool:
    """Return whether a text is an age, and nothing else.

    >>> is_age("3 hours ago"), is_age("yesterday"), is_age("10:15")
    (True, True, False)
    """
    if not 0 < len(text) <= _MAX_AGE:
        return False
    small = text.lower()
    if not (
        small.endswith(_AGE_ENDS)
        if small[0].isdecimal()
        else small.partition(" ")[0] in _AGE_BEGINS
    ):
        return False
    found = TIMES.fullmatch(text)
    return found is not None and found["absolute"] is None


TIME_WORD = re.compile(
    rf"|[ap]\.?m|{_BEHIND}|just|now|vor|il|y|hace|uhr|utc|gmt|[ecmp][sd]?t|yesterday|today|gerade|eben|"
    rf"gestern|heute|hier|aujourd'hui|ayer|hoy|may|march|{_MONTH}|{_DAY}|{_SPAN}|{_NUMBER}|\W+"
    r"|(?:сек|мин|час|д[ен]н|нед|тиж|мес|міс|год|хв|р[оі]к|лет|godz|sek|dn|tyg|mies|rok|lat)\w*",
    re.IGNORECASE,
)
"""Matches a word that dates, times of day and ages are written with, as a whole."""
