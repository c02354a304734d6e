"""The cache folder: downloads and builds, for all clones on this machine."""

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """Return the folder of this name under VOKTER_CACHE, else under the user's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("VOKTER_CACHE") or Path(home, "vokter"), name).absolute()
