"""The options of a subscription as flags of a command."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps
from inspect import Parameter
from typing import Annotated, Any, Literal

import typer

from schemas.records.fields import RecordField, record_fields
from schemas.records.subscriptions import Options
from streams.cli.durations import parse_duration
from streams.cli.jobs.crawl_flags import CRAWL_FLAGS, crawl_of_flags
from streams.cli.jobs.number_flags import CONDITION_FLAGS, conditions_of_flags
from streams.cli.jobs.view_flags import VIEW_FLAGS, view_of_flags

Command = Callable[..., None]

NESTED_FLAGS = {"when": CONDITION_FLAGS, "crawl": CRAWL_FLAGS}
"""Of options that are objects in JSON; the others are parts of the view."""
EVERY = tuple(field.name for field in record_fields(Options))


def with_option_flags(*names: str) -> Callable[[Command], Command]:
    """Replace a command's parameter ``options`` by a flag for each option, such as --ignore-case.

    With ``names``, only these options have one. Typer makes flags of the parameters that a
    function seems to have.
    """
    return partial(_with_flags, names=names or EVERY)


def _with_flags(command: Command, names: tuple[str, ...]) -> Command:
    fields = [field for field in record_fields(Options) if field.name in names]
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def with_flags(**values: Any) -> None:
        options = Options(**{field.name: _value(field, values) for field in fields})
        command(options=options, **values)

    parameters: list[Parameter] = []
    for each in signature.parameters.values():
        flags = [each.replace(kind=Parameter.KEYWORD_ONLY)]
        parameters += _flags(fields) if each.name == "options" else flags
    with_flags.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # a function
    with_flags.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_flags


def _value(field: RecordField, values: dict[str, Any]) -> Any:
    if field.name == "crawl":
        return crawl_of_flags(values)
    if field.about.nested:
        return conditions_of_flags(values) if field.name == "when" else view_of_flags(values)
    value = values.pop(field.name)
    return tuple(value) if isinstance(value, list) else value


def _flags(fields: Iterable[RecordField]) -> Iterator[Parameter]:
    for field in fields:
        if field.about.nested:
            yield from NESTED_FLAGS.get(field.name, VIEW_FLAGS)
        else:
            yield _flag(field)


def _number(zero: str, text: str) -> int:
    if text == zero:
        return 0
    if not text.isdecimal() or int(text) == 0:
        raise typer.BadParameter(f"a number from 1 on, or {zero}, is allowed")
    return int(text)


def _flag(field: RecordField) -> Parameter:
    kind: Any = field.type | None if field.is_optional else field.type
    if field.about.choices:
        kind = Literal[field.about.choices]
    if kind == tuple[int, ...]:
        kind = list[int]  # for Typer, a flag that may be repeated
    if kind == tuple[str, ...]:
        kind = list[str]
    help_, default = field.about.meaning, field.default
    if field.about.unit == "seconds":
        option = typer.Option(help=help_, parser=parse_duration, metavar="DURATION")
    elif field.about.zero:
        metavar = f"INTEGER|{field.about.zero}"
        option = typer.Option(
            help=help_, parser=partial(_number, field.about.zero), metavar=metavar
        )
    elif field.name == "tags":
        option = typer.Option("--tag", help=f"{help_[:-1]}; repeatable.", metavar="TAG")
    elif field.name == "ignore_case":
        option, default = typer.Option(help=help_), True
    else:
        option = typer.Option(help=help_)
    flag = Annotated[kind, option]
    return Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=flag)
