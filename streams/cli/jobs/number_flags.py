"""A number that is watched, and its conditions, as flags of a command."""

from inspect import Parameter
from typing import Annotated, Any, Literal

import typer

from schemas.records.fields import record_fields
from schemas.records.numbers import Conditions, NumberOptions

_NUMBER = "Read one number: in what is selected, or the price that the page states for programs."
_NAMES = {
    "source": "number_from",
    "pick": "number_pick",
    "locale": "locale",
    "currency": "currency",
}
"""Parameters by the fields of NumberOptions."""


def _flag(name: str, kind: Any, default: Any, help_: str, metavar: str | None = None) -> Parameter:
    annotation = Annotated[kind, typer.Option(help=help_, metavar=metavar)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _number_flags() -> list[Parameter]:
    is_number = Annotated[bool, typer.Option("--number", help=_NUMBER)]
    flags = [Parameter("number", Parameter.KEYWORD_ONLY, default=False, annotation=is_number)]
    for field in record_fields(NumberOptions):
        choices = tuple(filter(None, field.about.choices))
        kind: Any = Literal[choices] if choices else str
        flags.append(_flag(_NAMES[field.name], kind | None, None, field.about.meaning))
    return flags


NUMBER_FLAGS = tuple(_number_flags())
"""The parameters by which a command is given what ``view.number`` says."""
CONDITION_FLAGS = tuple(
    _flag(field.name, str | None, None, field.about.meaning, "NUMBER")
    for field in record_fields(Conditions)
)
"""The parameters by which a command is given conditions."""


def number_of_flags(values: dict[str, Any], known: NumberOptions | None) -> NumberOptions | None:
    """Take the values of NUMBER_FLAGS out of a command's, and return the number that they say.

    ``known`` is that of a file, to which they add; any of them asks for a number.
    """
    is_asked = values.pop("number")
    given = {field: values.pop(name) for field, name in _NAMES.items()}
    said = {field: value for field, value in given.items() if value is not None}
    if not is_asked and not said and known is None:
        return None
    base = known or NumberOptions()
    return NumberOptions(**{field: said.get(field, getattr(base, field)) for field in _NAMES})


def conditions_of_flags(values: dict[str, Any]) -> Conditions:
    """Take the values of CONDITION_FLAGS out of a command's, and return what they say."""
    given = {flag.name: values.pop(flag.name) for flag in CONDITION_FLAGS}
    return Conditions(**{name: value for name, value in given.items() if value is not None})
