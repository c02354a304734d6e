"""Names of kinds of changes, for people."""

from connectors.languages.texts import gettext, msgid

_CHANGES = {
    "added": msgid("added"),
    "removed": msgid("removed"),
    "edited": msgid("edited"),
    "moved": msgid("moved"),
}


def change_name(change: str) -> str:
    """Return the name of a kind of change in the language of the context."""
    return gettext(_CHANGES[change])
