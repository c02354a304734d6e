"""Texts in the language of a context; a catalogue is loaded when its language is first used."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

DOMAIN = "vokter"
"""The name of the catalogues."""


@dataclass(frozen=True, eq=False)
class Language:
    """A language by its tag (BCP 47), with its own name.

    There is a single object of each, quick to find in caches.
    """

    tag: str
    name: str

    @cached_property
    def texts(self) -> NullTranslations:
        """The catalogue, compiled; English needs none."""
        if self is ENGLISH:
            return NullTranslations()
        from babel.messages.mofile import write_mo  # noqa: PLC0415  # English needs no Babel
        from babel.messages.pofile import read_po  # noqa: PLC0415

        folder = files(__package__).joinpath("locale", self.locale, "LC_MESSAGES")
        compiled = BytesIO()
        with folder.joinpath(f"{DOMAIN}.po").open("rb") as catalogue:
            write_mo(compiled, read_po(catalogue))
        compiled.seek(0)
        return GNUTranslations(compiled)

    @property
    def locale(self) -> str:
        """The name of the language in the CLDR."""
        return self.tag.replace("-", "_")

    @property
    def direction(self) -> str:
        """The direction of its script, for ``dir`` of HTML."""
        return "rtl" if self.tag.partition("-")[0] in _RIGHT_TO_LEFT else "ltr"


_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})
ENGLISH = Language("en", "English")
LANGUAGES = {
    each.tag: each
    for each in (
        ENGLISH,
        Language("de", "Deutsch"),
        Language("es", "Español"),
        Language("fr", "Français"),
        Language("ja", "日本語"),
        Language("zh-Hans", "简体中文"),
    )
}
"""By tag, in the order in which they are offered."""

_current: ContextVar[Language] = ContextVar("language", default=ENGLISH)
_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?"
)
MAX_HEADER = 1_000
"""The most characters read of a browser's list of languages."""


def current_language() -> Language:
    """Return the language of this context, English by default."""
    return _current.get()


@contextmanager
def spoken(language: Language) -> Iterator[None]:
    """Choose the language for the work within; tasks begun there inherit the language."""
    before = _current.set(language)
    try:
        yield
    finally:
        _current.reset(before)


def wanted_language(chosen: str, accepted: str) -> Language:
    """Return the chosen language (its tag), or the best of an ``Accept-Language``.

    >>> [wanted_language("", each).tag for each in ("de-AT,en;q=0.5", "nl, ja;q=0.3", "zh-TW", "")]
    ['de', 'ja', 'zh-Hans', 'en']
    """
    if chosen in LANGUAGES:
        return LANGUAGES[chosen]
    known = {each.tag.partition("-")[0]: each for each in LANGUAGES.values()}
    ranges = filter(None, map(_RANGE.fullmatch, accepted[:MAX_HEADER].split(",")))
    weighed = [(float(each[2] or 1), each[1].lower()) for each in ranges]
    best = sorted((each for each in weighed if each[0] > 0), key=lambda each: -each[0])
    return next((known[name] for _, name in best if name in known), ENGLISH)


def msgid(text: str) -> str:
    """Mark a text of a constant, translated at its use."""
    return text


def msgids(one: str, many: str) -> tuple[str, str]:
    """Mark the singular and the plural text of a constant."""
    return one, many


def gettext(text: str, /, **values: object) -> str:
    """Return a text in the language of the context, with its values.

    >>> gettext("Since %(since)s", since="today")
    'Since today'
    """
    found = _current.get().texts.gettext(text)
    return found % values if values else found


def ngettext(one: str, many: str, number: int, /, **values: object) -> str:
    """Return the text for a number; ``num`` is the number in the form of the language.

    >>> ngettext("%(num)s watch", "%(num)s watches", 1_200)
    '1,200 watches'
    """
    language = _current.get()
    values.setdefault("num", written_number(number, language))
    return language.texts.ngettext(one, many, number) % values


def pgettext(context: str, text: str) -> str:
    """Return a text whose translation depends on its context."""
    return _current.get().texts.pgettext(context, text)


def written_number(number: int, language: Language) -> str:
    """Return a number in the form of a language."""
    if language is ENGLISH or -1_000 < number < 1_000:
        return f"{number:,}"
    from babel.numbers import format_decimal  # noqa: PLC0415

    return format_decimal(number, locale=language.locale)
