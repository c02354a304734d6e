"""Stemmers from plug-ins."""

from collections.abc import Callable

from connectors.plugins.loading import Plugins

Stem = Callable[[str], str]


def plugin_stemmer(
    plugins: Plugins, built_in: Callable[[str, str], str], language: str
) -> tuple[str, Stem] | None:
    """Return a plug-in's stemmer for a language, and an id of its version.

    For a word on which the plug-in fails, ``built_in`` is called with word and language.
    None if no plug-in serves the language (ISO 639-1, or ``und``).
    """
    plugin = plugins.find(language)
    if plugin is None:
        return None

    def stem(word: str) -> str:
        try:
            return plugin(word)
        except Exception as error:  # noqa: BLE001  # a plug-in may raise anything
            plugin.report(error)
            return built_in(word, language)

    return plugin.version, stem
