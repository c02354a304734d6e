"""The view of a subscription as flags of a command: its usual parts, and a file for all of it."""

from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from schemas.views import Selector, ViewOptions

_SELECT = typer.Option(help="Read only what this CSS selector finds; repeatable.", metavar="CSS")
_EXCLUDE = typer.Option(help="Do not read what this CSS selector finds.", metavar="CSS")
_FILE = typer.Option(
    help="A file with a view as JSON; other flags add to it.",
    metavar="FILE",
    exists=True,
    dir_okay=False,
)


def _flag(name: str, kind: Any, default: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


VIEW_FLAGS = (
    _flag("view", Annotated[Path | None, _FILE]),
    _flag("select", Annotated[list[str], _SELECT], ()),
    _flag("exclude", Annotated[list[str], _EXCLUDE], ()),
)
"""The parameters, for Typer, by which a command is given a view."""


def view_of_flags(values: dict[str, Any]) -> ViewOptions:
    """Take the values of these parameters out of a command's, and return the view they say.

    Raises typer.BadParameter for a file that has none.
    """
    view = _from_file(values.pop("view"))
    css = {name: tuple(Selector(css=each) for each in values.pop(name)) for name in _LISTS}
    return replace(view, **{name: getattr(view, name) + found for name, found in css.items()})


_LISTS = "select", "exclude"


def _from_file(path: Path | None) -> ViewOptions:
    if path is None:
        return ViewOptions()
    from schemas.json_requests import parse_object  # noqa: PLC0415 - --help must not wait for it
    from schemas.json_values import InvalidRequestBody, nested_value  # noqa: PLC0415 - as above

    try:
        found = nested_value(ViewOptions, parse_object(path.read_bytes()), "view")
    except InvalidRequestBody as error:
        raise typer.BadParameter(f"{path}: {error}") from None
    assert isinstance(found, ViewOptions)
    return found
