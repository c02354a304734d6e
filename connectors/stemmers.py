"""Stemmers from plug-ins."""

from collections.abc import Callable

from connectors.plugins.loading import Plugins

Stem = Callable[[str], str]


def plugin_stemmer(
    plugins: Plugins, built_in: Callable[[str, str], str], language: str
) -> tuple[str, Stem] | None:
    """Give the stemmer that a plug-in has for a language, with a name for this version of it.

    For a word on which it fails the built-in one serves, which takes word and language.
    None if no plug-in serves the language (ISO 639-1, or ``und``).
    """
    plugin = plugins.find(language)
    if plugin is None:
        return None

    def stem(word: str) -> str:
        try:
            return plugin(word)
        except Exception as error:  # noqa: BLE001  # its faults are reported, and cost nothing
            plugin.report(error)
            return built_in(word, language)

    return plugin.version, stem
