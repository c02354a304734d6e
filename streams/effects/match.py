"""Match, with the rules for requests, and percolate; both with the plugged-in stemmers."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from connectors.plugins.loading import Plugins, open_plugins
from connectors.plugins.plugin import STEMMERS
from connectors.stemmers import plugin_stemmer
from streams.effects.rules import rules
from streams.engine.worker import Tools
from streams.settings import Settings
from streams.text.stemming import PluginLanguage, stem_word
from streams.values.topics import partition_of

if TYPE_CHECKING:
    from streams.agents.match.agent import MatchStage
    from streams.agents.percolate.agent import PercolateStage


def build_match(settings: Settings, tools: Tools) -> "MatchStage":
    """Build the stage."""
    from streams.agents.match.agent import MatchStage  # noqa: PLC0415  # 11 MB of numpy that no other stage needs

    return MatchStage(
        partition_of=partial(partition_of, count=tools.partitions),
        rules=rules(settings),
        language=stemmer_language(settings),
        partitions=tools.partitions,
    )


def build_percolate(settings: Settings, tools: Tools) -> "PercolateStage":
    """Build the stage, with the plugged-in stemmers of match."""
    from streams.agents.percolate.agent import PercolateStage  # noqa: PLC0415  # numpy, as above

    return PercolateStage(partitions=tools.partitions, language=stemmer_language(settings))


def stemmer_language(settings: Settings) -> Callable[[str], str]:
    """Return what looks up a language by its code, with a plugged-in stemmer if it has one."""
    return partial(_language, open_plugins(STEMMERS, settings.plugin_folder))


def _language(stemmers: Plugins, code: str) -> str:
    found = plugin_stemmer(stemmers, stem_word, code)
    return PluginLanguage(code, *found) if found else code
