"""The options of a subscription as flags of a command."""

import inspect
from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter
from typing import Any, Literal

import typer

from schemas.records.crawls import MAX_DEPTH, CrawlOptions
from schemas.records.fields import RecordField, record_fields
from schemas.records.numbers import Conditions
from schemas.records.subscriptions import Options
from streams.cli.durations import parse_duration
from streams.cli.jobs.view_flags import VIEW_FLAGS, flag, view_of_flags

Command = Callable[..., None]

CRAWL_FIELDS = record_fields(CrawlOptions)[1:]
"""All but the depth."""


def with_option_flags(*names: str) -> Callable[[Command], Command]:
    """Replace a command's parameter ``options`` by a flag for each option, such as --ignore-case.

    With ``names``, only these options have one. Typer makes flags of the parameters that a
    function seems to have.
    """
    fields = [field for field in record_fields(Options) if not names or field.name in names]

    def decorated(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @wraps(command)
        def with_flags(**values: Any) -> None:
            options = Options(**{field.name: _value(field, values) for field in fields})
            command(options=options, **values)

        flags = [each for field in fields for each in _flags(field)]
        parameters: list[Parameter] = []
        for each in signature.parameters.values():
            own = [each.replace(kind=Parameter.KEYWORD_ONLY)]
            parameters += flags if each.name == "options" else own
        with_flags.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # a function
        with_flags.__annotations__ = {each.name: each.annotation for each in parameters}
        return with_flags

    return decorated


def _flags(field: RecordField) -> tuple[Parameter, ...]:
    """Return the flags of an option: several if it is an object in JSON."""
    if field.about.nested:
        return NESTED[field.name][0]
    kind: Any = field.type | None if field.is_optional else field.type
    if field.about.choices:
        kind = Literal[field.about.choices]
    if kind in (tuple[int, ...], tuple[str, ...]):
        kind = list[kind.__args__[0]]  # for Typer, a flag that may be repeated
    help_, default = field.about.meaning, field.default
    option: dict[str, Any] = {"help": help_}
    names: tuple[str, ...] = ()
    if field.about.unit == "seconds":
        option |= {"parser": parse_duration, "metavar": "DURATION"}
    elif zero := field.about.zero:
        option |= {"parser": partial(_number, zero), "metavar": f"INTEGER|{zero}"}
    elif field.name == "tags":
        names, option = ("--tag",), {"help": f"{help_[:-1]}; repeatable.", "metavar": "TAG"}
    elif field.name == "ignore_case":
        default = True
    return (flag(field.name, kind, *names, default=default, **option),)


def _value(field: RecordField, values: dict[str, Any]) -> Any:
    """Take the values of an option's flags out of a command's, and return what they say."""
    if field.about.nested:
        return NESTED[field.name][1](values)
    value = values.pop(field.name)
    return tuple(value) if isinstance(value, list) else value


def _number(zero: str, text: str) -> int:
    if text == zero:
        return 0
    if not text.isdecimal() or int(text) == 0:
        raise typer.BadParameter(f"a number from 1 on, or {zero}, is allowed")
    return int(text)


def _conditions(values: dict[str, Any]) -> Conditions:
    given = {each.name: values.pop(each.name) for each in CONDITION_FLAGS}
    return Conditions(**{name: value for name, value in given.items() if value is not None})


def _crawl_flag_name(field: RecordField) -> str:
    return f"--{field.name.replace('_', '-')}"


def _crawl_flag(field: RecordField) -> Parameter:
    is_switch = field.type is bool
    return flag(
        field.name,
        bool if is_switch else field.type | None,
        _crawl_flag_name(field),
        default=False if is_switch else None,
        help=f"With --crawl: {field.about.meaning}",
    )


def _crawl(values: dict[str, Any]) -> CrawlOptions | None:
    """Return the crawl that the flags say.

    Raises typer.BadParameter for one of them without --crawl, or with a value that is not allowed.
    """
    depth = values.pop("crawl")
    taken = {field: values.pop(field.name) for field in CRAWL_FIELDS}
    given = {field: value for field, value in taken.items() if value not in (None, False)}
    for field, value in given.items():
        name = _crawl_flag_name(field)
        if depth is None:
            raise typer.BadParameter(f"{name} is for a crawl: give --crawl DEPTH, too")
        if not field.allows(value):
            raise typer.BadParameter(f"{name} {value}: {field.allowed} is allowed")
    if depth is None:
        return None
    return CrawlOptions(depth, **{field.name: value for field, value in given.items()})


CONDITION_FLAGS = tuple(
    flag(field.name, str | None, help=field.about.meaning, metavar="NUMBER")
    for field in record_fields(Conditions)
)
CRAWL_FLAGS = (
    flag(
        "crawl",
        int | None,
        "--crawl",
        help=f"Cover the pages that are up to so many links away, too (0 to {MAX_DEPTH}).",
        metavar="DEPTH",
        min=0,
        max=MAX_DEPTH,
    ),
    *map(_crawl_flag, CRAWL_FIELDS),
)
NESTED: dict[str, tuple[tuple[Parameter, ...], Callable[[dict[str, Any]], Any]]] = {
    "view": (VIEW_FLAGS, view_of_flags),
    "when": (CONDITION_FLAGS, _conditions),
    "crawl": (CRAWL_FLAGS, _crawl),
}
"""The flags of options that are objects in JSON, and functions that build the objects."""
