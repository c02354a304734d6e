"""The notation of numbers in a language or a country, as in the Unicode CLDR."""

from typing import NamedTuple

EXACT = "zxx"
"""The language tag of content for programs, such as JSON: its numbers are exact."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_COMMA = _words(
    "af az be bg bs ca cs da de el es et eu fi fo fr fy gl hr hu hy id is it ka kk kl ky lb lt "
    "lv mk nb nl nn no pl ps pt ro ru sk sl sq sr su sv tg tk tr tt uk uz vi "
)
"""Languages with a comma before decimals; the others have a point."""
_SPACE = _words(
    "af be bg cs et eo fi fr hu hy ka kk ky lt lv nb nn no pl pt ru sk sq sv tg tk tt uk uz "
)
"""Languages with blanks between thousands."""
_POINT_REGIONS = _words("CH LI MX US PR GT HN NI PA PE SV DO CU BZ ")
"""Countries with a point before decimals, though others with the language have a comma."""
_COMMA_REGIONS = {
    "en": _words("AT BE CZ DE DK ES FI FR HU ID IT NL NO PL PT RO SE SI SK ZA"),
    "ar": _words("DZ LB LY MA MR TN"),
    "ms": _words("BN ID"),
}
_FRENCH = "fr"
"""In Switzerland, too, French has a comma."""


class Locale(NamedTuple):
    """A language (empty if unknown) and a country (empty if none is named)."""

    language: str
    region: str
    is_chosen: bool
    """Whether a person said so, not the page."""

    @property
    def is_exact(self) -> bool:
        """Whether numbers are written for programs."""
        return self.language == EXACT

    @property
    def mark(self) -> str:
        """The sign before decimals: a comma, a point, or nothing if unknown."""
        if not self.language:
            return ""
        if self.region in _COMMA_REGIONS.get(self.language, ()):
            return ","
        has_comma = self.language in _COMMA
        is_other = self.region in _POINT_REGIONS and self.language != _FRENCH
        return "," if has_comma and not is_other else "."

    @property
    def has_blanks(self) -> bool:
        """Whether blanks are usual between thousands."""
        return self.language in _SPACE

    @property
    def may_have_blanks(self) -> bool:
        """Whether blanks may be between thousands."""
        return not self.language or self.mark == "," or self.has_blanks


def locale_of(chosen: str, declared: str) -> Locale:
    """Return the locale chosen by a person, else the declared locale of the page.

    >>> locale_of("", "de-AT").mark, locale_of("de_CH", "en").mark, locale_of("", "").mark
    (',', '.', '')
    """
    parts = (chosen or declared).replace("_", "-").split("-")
    region = next((each.upper() for each in parts[1:] if len(each) == 2), "")
    return Locale(parts[0].lower(), region, bool(chosen))
