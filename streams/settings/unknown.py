"""Variables that look like settings and are none."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from streams.settings.model import Settings, variable

PREFIX = "VOKTER_"
_ENDS = ("CACHE", "MAVEN_URL", "FUZZ", "REQUIRE_BROWSER", "REQUIRE_MONGO", "TEST_MONGO")
OTHERS = {PREFIX + end for end in _ENDS}
"""Read by the set-up and by tests."""
SERVICE_LINK = re.compile(r"_SERVICE_(HOST|PORT)(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_|$)|$)")
"""Variables of Kubernetes for each service: an …_API_PORT for one named vokter-api."""


class UnknownSettings(Exception):
    """The environment has variables of ours that do not exist; the text names them."""


def check_variables(names: Iterable[str]) -> None:
    """Check the names of environment variables; raises UnknownSettings.

    Example:
        >>> check_variables(["VOKTER_PORT", "HOME"])
    """
    known = {variable(name) for name in Settings.model_fields}
    ours = sorted(name for name in names if name.upper().startswith(PREFIX))
    lines = [
        f"{name} is no setting.{_nearest(name, known)}"
        for name in ours
        if name.upper() not in known | OTHERS and not SERVICE_LINK.search(name)
    ]
    if lines:
        raise UnknownSettings("\n".join(lines))


def _nearest(name: str, known: Iterable[str]) -> str:
    """Return a question for the most similar setting."""
    ends = {each.removeprefix(PREFIX): each for each in known}
    found = get_close_matches(name.upper().removeprefix(PREFIX), ends, 1, 0.5)
    return f" Did you mean {ends[found[0]]}?" if found else " docs/settings.md lists all."
