"""Currencies and percent signs, as they are written next to numbers."""

# ruff: noqa: RUF001 - each currency is written in its own script

import re
from functools import lru_cache

from connectors.readers.marks import CENTS
from connectors.readers.numbers.locales import Locale
from schemas.records.numbers import PERCENT

_LISTED = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN "
    "BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD "
    "FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY "
    "KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP "
    "MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR "
    "RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND "
    "TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW "
    "ZWG "
)
_CODES = frozenset(_LISTED.split())
"""The currencies of ISO 4217."""
_DOLLARS = (
    "USD", "CAD", "AUD", "NZD", "MXN", "HKD", "SGD", "TWD", "ARS", "CLP", "COP", "BMD", "JMD",
)  # fmt: skip
RAND, QUETZAL, CENT = "R", "Q", "\u00a2"
_SYMBOLS: dict[str, tuple[str, ...]] = {
    "€": ("EUR",),
    "E£": ("EGP",),
    "Euro": ("EUR",),
    "euro": ("EUR",),
    "EURO": ("EUR",),
    "euros": ("EUR",),
    "Euros": ("EUR",),
    "£": ("GBP",),
    "$": _DOLLARS,
    "US$": ("USD",),
    "C$": ("CAD",),
    "CA$": ("CAD",),
    "A$": ("AUD",),
    "AU$": ("AUD",),
    "NZ$": ("NZD",),
    "HK$": ("HKD",),
    "S$": ("SGD",),
    "NT$": ("TWD",),
    "CL$": ("CLP",),
    "CO$": ("COP",),
    "CAN$": ("CAD",),
    "CDN$": ("CAD",),
    "CDN": ("CAD",),
    "COL$": ("COP",),
    "AR$": ("ARS",),
    "EC$": ("XCD",),
    "J$": ("JMD",),
    "MX$": ("MXN",),
    "Mex$": ("MXN",),
    "R$": ("BRL",),
    RAND: ("ZAR",),
    QUETZAL: ("GTQ",),
    "Q.": ("GTQ",),
    CENT: _DOLLARS,
    "RD$": ("DOP",),
    "TT$": ("TTD",),
    "U$S": ("USD",),
    "$U": ("UYU",),
    "$US": ("USD",),
    "$CA": ("CAD",),
    "$AU": ("AUD",),
    "S/.": ("PEN",),
    "S/": ("PEN",),
    "B/.": ("PAB",),
    "Bs.": ("BOB", "VES"),
    "Bs": ("BOB", "VES"),
    "Gs.": ("PYG",),
    "₲": ("PYG",),
    "₡": ("CRC",),
    "¥": ("JPY", "CNY"),
    "円": ("JPY",),
    "元": ("CNY",),
    "RMB": ("CNY",),
    "₹": ("INR",),
    "Rs.": ("INR", "PKR", "LKR", "NPR"),
    "Rs": ("INR", "PKR", "LKR", "NPR"),
    "₽": ("RUB",),
    "руб": ("RUB",),
    "рублей": ("RUB",),
    "р.": ("RUB",),
    "₴": ("UAH",),
    "грн": ("UAH",),
    "₺": ("TRY",),
    "TL": ("TRY",),
    "₪": ("ILS",),
    "₩": ("KRW",),
    "원": ("KRW",),
    "₫": ("VND",),
    "đ": ("VND",),
    "VNĐ": ("VND",),
    "฿": ("THB",),
    "บาท": ("THB",),
    "₦": ("NGN",),
    "₱": ("PHP",),
    "₸": ("KZT",),
    "тг": ("KZT",),
    "₾": ("GEL",),
    "₼": ("AZN",),
    "֏": ("AMD",),
    "৳": ("BDT",),
    "₭": ("LAK",),
    "₮": ("MNT",),
    "៛": ("KHR",),
    "₵": ("GHS",),
    "GH₵": ("GHS",),
    "KSh": ("KES",),
    "Ksh": ("KES",),
    "RM": ("MYR",),
    "Rp.": ("IDR",),
    "Rp": ("IDR",),
    "Php": ("PHP",),
    "NIS": ("ILS",),
    "ден": ("MKD",),
    "дин": ("RSD",),
    "din": ("RSD",),
    "сум": ("UZS",),
    "сом": ("KGS",),
    "Dhs": ("AED",),
    "جنيه": ("EGP",),
    "ج.م": ("EGP",),
    "د.م.": ("MAD",),
    "DH": ("MAD", "AED"),
    "KD": ("KWD",),
    "د.ك": ("KWD",),
    "Br": ("BYN", "ETB"),
    "Kč": ("CZK",),
    "zł": ("PLN",),
    "Ft": ("HUF",),
    "lei": ("RON", "MDL"),
    "Lei": ("RON", "MDL"),
    "лв": ("BGN",),
    "Fr.": ("CHF",),
    "SFr.": ("CHF",),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "Kr": ("SEK", "NOK", "DKK", "ISK"),
    "ر.س": ("SAR",),
    "د.إ": ("AED",),
    PERCENT: (PERCENT,),
}
_BY_REGION = {
    "CA": "CAD", "AU": "AUD", "NZ": "NZD", "MX": "MXN", "HK": "HKD", "SG": "SGD", "TW": "TWD",
    "AR": "ARS", "CL": "CLP", "CO": "COP", "CN": "CNY", "PK": "PKR", "LK": "LKR", "NP": "NPR",
    "MD": "MDL", "US": "USD", "JP": "JPY", "IN": "INR", "JM": "JMD", "BM": "BMD",
}  # fmt: skip
_BY_LANGUAGE = {
    "sv": "SEK", "nb": "NOK", "nn": "NOK", "no": "NOK", "da": "DKK", "is": "ISK", "zh": "CNY",
    "ja": "JPY", "ne": "NPR", "ur": "PKR",
}  # fmt: skip
THREE_DECIMALS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
"""Currencies whose prices have three decimals."""
NO_DECIMALS = frozenset(
    [
        "BIF", "CLP", "COP", "DJF", "GNF", "IDR", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF",
        "UGX", "UYI", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
)  # fmt: skip
"""Currencies whose prices have no decimals."""
_PESOS = ("es", "pt")
"""Languages of countries in which a dollar sign stands for pesos, too."""


def _pattern(symbol: str) -> str:
    """Return the pattern of a symbol; two letters and a dollar sign may have a blank between."""
    plain = re.escape(symbol)
    return plain.replace(r"\$", r" ?\$ ?").strip(" ?") if len(symbol) > 2 else plain


_UNIT = "|".join(map(_pattern, sorted(_SYMBOLS.keys() - {CENT}, key=len, reverse=True)))
_CODE = "|".join(sorted(_CODES))
_SIGN = "[€£$¥₹]"
_BEFORE = re.compile(rf"(?:(?<![A-Za-z])({_CODE})(?: ?({_SIGN}))?|(?<!\w)({_UNIT})|({_SIGN})) ?\Z")
_LAST_SIGNS = {each[-1] for each in (*_CODES, *_SYMBOLS)}
_LONGEST = 3 + max(map(len, _SYMBOLS))
"""Characters of a unit before a number, with blanks."""
AFTER = re.compile(
    r"(?:[.,][-\u2013\u2014]+|\*{1,3})? ?"
    rf"(?:({_CODE})(?![A-Za-z])|({_UNIT}|{CENT})(?!\w)(?: ?({_CODE})(?![A-Za-z]))?)"
)
"""Finds a unit, or a currency and its sign, at the begin of the text after a number."""
_WHOLE = r"(\d(?<![€£$¥\d.,'].)[\d.,' ]{0,20})"
_GLUED = r"([€£$¥₽₴₺₪₸₾])(\d\d)(?![\d.,])"
_GLUED_CENTS = re.compile(f"{_WHOLE}{_GLUED}")
# With a blank they may be another number, unless nothing follows.
_APART = re.compile(r"[€£$] \d\d$", re.MULTILINE)
_CENTS_APART = re.compile(rf"{_WHOLE}([€£$]) (\d\d)$", re.MULTILINE)
_CENTS_LAST = re.compile(f"{_WHOLE}(?: ?({_UNIT}){CENTS} ?(\\d\\d)(?!\\d)|{_GLUED})")
_RATE = re.compile(
    r"[ )]{0,2}(?:/|per|pro|par|por|je|al)\s?(?:\d+\s?)?"
    r"(?:[kmµ]?g|[mcd]?l|lit(?:er|re|ro|ros)s?|lbs?|oz|[cm]?m[23²³]?|qm|kilo)\b",
    re.IGNORECASE,
)
_RATE_BEFORE = re.compile(r"(?:[kmµ]?g|[mcd]?l|m[23²³]?|lbs?|oz)\s?[=:]\s?\Z", re.IGNORECASE)


def with_cents_before_unit(text: str) -> str:
    """Return a text with the cents before the unit, for pages with the unit first.

    >>> with_cents_before_unit("12€50").replace(CENTS, ".")
    '12.50 €'
    """

    def moved(found: re.Match[str]) -> str:
        whole, unit, cents, sign, glued = found.groups()
        return f"{whole}{CENTS}{cents or glued} {unit or sign}"

    # To try all units at each number takes as long as to read it.
    if CENTS in text:
        return _CENTS_LAST.sub(moved, text)
    pattern = _CENTS_APART if _APART.search(text) else _GLUED_CENTS
    return pattern.sub(rf"\1{CENTS}\3 \2", text)


def unit_before(before: str) -> re.Match[str] | None:
    """Find a unit, or a currency and its sign, at the end of the text before a number.

    >>> unit_before("was US$ ")[0], unit_before("in May ")
    ('US$ ', None)
    """
    # A sign is tried at each character before a number, which takes longer than all the rest.
    if before.rstrip(" ")[-1:] not in _LAST_SIGNS:
        return None
    return _BEFORE.search(before, max(0, len(before) - _LONGEST))


def is_rate(before: str, after: str) -> bool:
    """Return whether a price is per kilogram, litre or the like, by the text around.

    >>> is_rate("", "/100 g"), is_rate("1 kg = ", ""), is_rate("", " / month")
    (True, True, False)
    """
    is_before = before.rstrip()[-1:] in ("=", ":") and _RATE_BEFORE.search(before)
    return bool(_RATE.match(after) or is_before)


def unit_of(found: re.Match[str] | None, locale: Locale, wanted: str) -> tuple[str, str]:
    """Return the unit before or after a number, with its doubts.

    ``wanted`` is the chosen currency.

    >>> unit_of(AFTER.match(" kr"), Locale("nb", "", False), "")
    ('NOK', '')
    >>> unit_of(AFTER.match(" kr"), Locale("", "", False), "")
    ('SEK', "'kr' is read as SEK; it may be NOK, DKK, ISK (view.number.currency)")
    """
    return ("", "") if found is None else _unit(found.groups(), locale, wanted)


@lru_cache(maxsize=1_000)
def _unit(parts: tuple[str | None, ...], locale: Locale, wanted: str) -> tuple[str, str]:
    written = [each for each in parts if each]
    named = next((each for each in written if each in _CODES), "")
    signs = ["".join(written), *written]
    sign = next((key for each in signs if (key := each.replace(" ", "")) in _SYMBOLS), "")
    several = _SYMBOLS.get(sign, ())
    if named and (not sign or named in several):
        return named, ""
    return _meant(sign, several, locale, wanted) if sign else ("", "")


def refined(unit: str, behind: re.Match[str] | None) -> str:
    """Return the currency after a number with an ambiguous sign.

    >>> refined("USD", AFTER.match(" CAD")), refined("EUR", AFTER.match(" CAD"))
    ('CAD', 'EUR')
    """
    code = behind[1] if behind else None
    code = {"CDN": "CAD"}.get(code or "", code)
    return code if code in _DOLLARS and unit in _DOLLARS else unit


def _meant(sign: str, several: tuple[str, ...], locale: Locale, wanted: str) -> tuple[str, str]:
    """Return the meaning of an ambiguous sign, with a doubt if neither page nor person says so."""
    for known in (wanted, _BY_REGION.get(locale.region), _BY_LANGUAGE.get(locale.language)):
        if known in several:
            return known or "", ""
    is_peso = sign == "$" and locale.language in _PESOS and not locale.region
    if len(several) == 1 or (sign in ("$", CENT, "¥") and not is_peso):
        return several[0], ""  # nearly always
    others = ", ".join(several[1:])
    doubt = f"{sign!r} is read as {several[0]}; it may be {others} (view.number.currency)"
    return several[0], doubt
