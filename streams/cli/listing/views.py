"""A subscription's view in a few words, for a list."""

from typing import Any

from schemas.codec.json_values import nested_json
from schemas.records.subscriptions import Options
from streams.cli.output import shortened

MAX_VALUE = 40
"""Characters of one value of a view."""


def view_summary(options: Options) -> str:
    """Return how a page is got and read, empty if that is as usual.

    Of headers and waits there are the names, of a body the length, of steps the number.

    Example:
        >>> from schemas.records.views import Selector, ViewOptions
        >>> view_summary(Options(view=ViewOptions((Selector(css="#price"),), render=True)))
        'select #price; render'
    """
    types = {"documentContentType": options.content_type, "onStatus": list(options.on_status)}
    given = {name: value for name, value in types.items() if value} | nested_json(options.view)
    return "; ".join(_shown(name, value) for name, value in given.items())


def shortened_text(text: str, most: int = MAX_VALUE) -> str:
    """Return a text without its middle, if it is longer than ``most`` characters.

    Example:
        >>> shortened_text("https://example.org/giants/argus", 20)
        'https://ex…nts/argus'
    """
    end = (most - 1) // 2
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def _shown(name: str, value: Any) -> str:
    if value is True:
        return name
    if name == "body":
        return f"body of {len(value)} characters"
    if name == "steps":
        return f"{len(value)} steps"
    values = value if isinstance(value, list | dict) else [value]
    return f"{name} {shortened(map(_item, values))}"


def _item(value: Any) -> str:
    """Return a value of a list: of a selector its text, whatever the language."""
    while isinstance(value, dict):
        value = next(iter(value.values()), "")
    return shortened_text(str(value))
