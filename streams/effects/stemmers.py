"""The languages of texts, with the plugged-in stemmers."""

from collections.abc import Callable
from functools import partial

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import STEMMERS
from connectors.stemmers import plugin_stemmer
from streams.settings import Settings
from streams.text.language import UNDETERMINED
from streams.text.stemming import ALGORITHMS, PluginLanguage, stem_word


def stemmer_language(settings: Settings) -> Callable[[str], str]:
    """Return the look-up of a language by its code, with a plugged-in stemmer if any."""
    return partial(_language, open_plugins(STEMMERS, settings.plugin_folder))


def all_languages(settings: Settings) -> Callable[[], list[str]]:
    """Return the list of each language with other stems, once."""
    stemmers = open_plugins(STEMMERS, settings.plugin_folder)
    return lambda: [
        _language(stemmers, code) for code in sorted({*ALGORITHMS, UNDETERMINED, *stemmers.names()})
    ]


def _language(stemmers: Plugins, code: str) -> str:
    found = plugin_stemmer(stemmers, stem_word, code)
    return PluginLanguage(code, *found) if found else code
