"""Currencies and percent signs, as they are written next to numbers."""

# ruff: noqa: RUF001 - each currency is written in its own script

import re

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
_SYMBOLS: dict[str, tuple[str, ...]] = {
    "€": ("EUR",),
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
    "MX$": ("MXN",),
    "R$": ("BRL",),
    "¥": ("JPY", "CNY"),
    "円": ("JPY",),
    "元": ("CNY",),
    "₹": ("INR",),
    "Rs.": ("INR", "PKR", "LKR", "NPR"),
    "Rs": ("INR", "PKR", "LKR", "NPR"),
    "₽": ("RUB",),
    "руб": ("RUB",),
    "₴": ("UAH",),
    "грн": ("UAH",),
    "₺": ("TRY",),
    "TL": ("TRY",),
    "₪": ("ILS",),
    "₩": ("KRW",),
    "원": ("KRW",),
    "₫": ("VND",),
    "đ": ("VND",),
    "฿": ("THB",),
    "₦": ("NGN",),
    "₱": ("PHP",),
    "₸": ("KZT",),
    "Kč": ("CZK",),
    "zł": ("PLN",),
    "Ft": ("HUF",),
    "lei": ("RON", "MDL"),
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
_UNIT = "|".join(map(re.escape, sorted(_SYMBOLS, key=len, reverse=True)))
BEFORE = re.compile(rf"(?:(?<![A-Za-z])([A-Z]{{3}})|(?<!\w)({_UNIT})|([€£$¥₹])) ?$")
"""Finds a unit at the end of what comes before a number."""
AFTER = re.compile(rf"(?:[.,][-\u2013\u2014]+)? ?(?:([A-Z]{{3}})(?![A-Za-z])|({_UNIT})(?!\w))")
"""Finds a unit at the beginning of what follows a number."""


def unit_of(found: re.Match[str] | None, locale: Locale, wanted: str) -> tuple[str, str]:
    """Return the unit that BEFORE or AFTER has found, and what of it is in doubt.

    ``wanted`` is the currency that a person chose. Nothing is returned for three letters that
    are no currency.

    >>> unit_of(AFTER.match(" kr"), Locale("nb", "", False), "")
    ('NOK', '')
    >>> unit_of(AFTER.match(" kr"), Locale("", "", False), "")
    ('SEK', "'kr' is read as SEK; it may be NOK, DKK, ISK (view.number.currency)")
    """
    if found is None:
        return "", ""
    written = next(each for each in found.groups() if each is not None)
    if written in _CODES:
        return written, ""
    several = _SYMBOLS.get(written, ())
    if not several:
        return "", ""
    for known in (wanted, _BY_REGION.get(locale.region), _BY_LANGUAGE.get(locale.language)):
        if known in several:
            return known or "", ""
    if len(several) == 1 or written in ("$", "¥"):
        return several[0], ""  # nearly always
    others = ", ".join(several[1:])
    doubt = f"{written!r} is read as {several[0]}; it may be {others} (view.number.currency)"
    return several[0], doubt
