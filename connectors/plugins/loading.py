"""Loading of plug-ins, which may change while the process runs."""

from collections.abc import Hashable, Iterable, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Protocol

import structlog

from connectors.plugins.folder import Folder
from connectors.plugins.packages import Packages
from connectors.plugins.plugin import Plugin, PluginKind, cause

log = structlog.get_logger()

_VERSIONS = count(1)


class PluginSource(Protocol):
    """Sources of plug-in modules."""

    def versions(self) -> Mapping[str, Hashable]:
        """Return all plug-ins of the source, each with a value for its version."""

    def load(self, origin: str) -> ModuleType:
        """Import a plug-in afresh; may raise anything."""


class Plugins:
    """All plug-ins of a kind, always up to date; may be used by many threads."""

    def __init__(self, kind: PluginKind, sources: Iterable[PluginSource]) -> None:
        """Look in ``sources``; if two serve the same name, the earlier source wins."""
        self._kind = kind
        self._sources = [(source, _LoadedPlugins()) for source in sources]
        self._lock = Lock()

    def find(self, name: str) -> Plugin | None:
        """Load changed plug-ins, and return the plug-in for a name, None without any."""
        with self._lock:
            self._refresh()
            found = (plugin for _, loaded in self._sources for plugin in loaded.serving(name))
            return next(found, None)

    def names(self) -> set[str]:
        """Load changed plug-ins, and return the names of all."""
        with self._lock:
            self._refresh()
            return {name for _, loaded in self._sources for name in loaded.names()}

    def _refresh(self) -> None:
        for source, loaded in self._sources:
            versions = source.versions()
            if versions == loaded.versions:
                continue
            for origin in loaded.versions.keys() - versions.keys():
                loaded.drop(origin)
                log.info("a plug-in was removed", plugin=origin)
            for origin, version in versions.items():
                if origin not in loaded.versions or loaded.versions[origin] != version:
                    loaded.put(origin, version, self._load(source, origin))

    def _load(self, source: PluginSource, origin: str) -> Plugin | None:
        """Load a plug-in; a broken plug-in is reported once, then skipped."""
        try:
            plugin = self._checked(origin, source.load(origin))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in may raise anything
            log.error("a plug-in cannot be loaded", plugin=origin, **cause(error))  # noqa: TRY400  # the cause says it in one line
            return None
        log.info("a plug-in was loaded", plugin=origin, serves=sorted(plugin.names))
        return plugin

    def _checked(self, origin: str, module: ModuleType) -> Plugin:
        names, call = (getattr(module, each) for each in (self._kind.served, self._kind.function))
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError(f"{self._kind.served} must be a tuple of strings")
        if not callable(call):
            raise TypeError(f"{self._kind.function} must be a function")
        served = frozenset(map(str.lower, names))
        source = b"" if module.__file__ is None else Path(module.__file__).read_bytes()
        # Its file and a hash of the file, wherever installed.
        plugin_id = f"plug-in {Path(origin).name} {sha256(source).hexdigest()[:12]}"
        return Plugin(origin, served, call, str(next(_VERSIONS)), plugin_id)


class _LoadedPlugins:
    """Loaded plug-ins of a source; None stands for a broken plug-in."""

    def __init__(self) -> None:
        self.versions: dict[str, Hashable] = {}
        self._plugins: dict[str, Plugin | None] = {}

    def put(self, origin: str, version: Hashable, plugin: Plugin | None) -> None:
        self.versions[origin] = version
        self._plugins[origin] = plugin

    def drop(self, origin: str) -> None:
        del self.versions[origin], self._plugins[origin]

    def names(self) -> set[str]:
        return {name for plugin in self._plugins.values() if plugin for name in plugin.names}

    def serving(self, name: str) -> Iterable[Plugin]:
        """Yield the plug-ins for a name, sorted by origin."""
        for _, plugin in sorted(self._plugins.items()):
            if plugin is not None and name in plugin.names:
                yield plugin


def open_plugins(kind: PluginKind, folder: Path) -> Plugins:
    """Return the plug-ins of a kind: those in its sub-folder of ``folder``, then packages.

    >>> open_plugins(READERS, Path("plugins")).find("application/x-bibtex")  # doctest: +SKIP
    Plugin(origin='plugins/readers/bibtex.py', …)
    """
    return Plugins(kind, (Folder(folder / kind.name), Packages(f"vokter.{kind.name}")))
