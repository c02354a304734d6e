"""The view of a subscription as flags of a command: its usual parts, its number, and a file."""

from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from schemas.records.fields import record_fields
from schemas.records.numbers import NumberOptions
from schemas.records.page_requests import Header
from schemas.records.views import Quote, Selector, ViewOptions

_TEXTS = {
    field.name: field.about.meaning
    for field in record_fields(ViewOptions)
    if field.name in ("method", "body", "user_agent", "language", "proxy")
}
_NUMBER_PARTS = {
    "source": "number_from",
    "pick": "number_pick",
    "locale": "locale",
    "currency": "currency",
}
"""Parameters by the fields of NumberOptions."""


def flag(name: str, kind: Any, *names: str, default: Any = None, **option: Any) -> Parameter:
    """Return a parameter for a flag of Typer; its name follows from ``name`` by default."""
    annotation = Annotated[kind, typer.Option(*names, **option)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _list_flag(name: str, metavar: str, help_: str) -> Parameter:
    return flag(name, list[str], default=(), help=f"{help_}; repeatable.", metavar=metavar)


def _number_part(name: str, about: Any) -> Parameter:
    choices = tuple(filter(None, about.choices))
    kind: Any = Literal[choices] if choices else str
    return flag(name, kind | None, help=about.meaning)


PART_FLAGS = (
    _list_flag("select", "CSS", "Read only what this CSS selector finds"),
    _list_flag("xpath", "XPATH", "Read only what this XPath finds"),
    _list_flag("jsonpath", "JSONPATH", "Read only what this JSONPath finds"),
    _list_flag("quote", "TEXT", "Read only this passage, or what becomes of it"),
    _list_flag("exclude", "CSS", "Do not read what this CSS selector finds"),
    flag("main", bool, "--main", default=False, help="Read only the article of an HTML page."),
    _list_flag("attribute", "NAME", "Read the values of this attribute, too"),
    _list_flag("ignore", "PATTERN", "Ignore what this regular expression matches"),
    _list_flag("header", "NAME: VALUE", "Send this header"),
    *(flag(name, str | None, help=text) for name, text in _TEXTS.items()),
    flag(
        "credentials",
        str,
        default="",
        help="Request the page with credentials of 'vokter credentials set'.",
        metavar="NAME",
    ),
)
VIEW_FLAGS = (
    flag(
        "view",
        Path | None,
        help="A file with a view as JSON; other flags add to it.",
        metavar="FILE",
        exists=True,
        dir_okay=False,
    ),
    *PART_FLAGS,
    flag(
        "number",
        bool,
        "--number",
        default=False,
        help="Read one number: in what is selected, "
        "or the price that the page states for programs.",
    ),
    flag("stock", bool, "--stock", default=False, help="Read whether a product is in stock."),
    *(_number_part(_NUMBER_PARTS[each.name], each.about) for each in record_fields(NumberOptions)),
)
"""The parameters, for Typer, by which a command is given a view."""


def view_of_flags(values: dict[str, Any]) -> ViewOptions:
    """Take the values of these parameters out of a command's, and return the view they say.

    Raises typer.BadParameter for a file without a view, and for a header without a value.
    """
    view = _from_file(values.pop("view"))
    number, stock = _number_of_flags(values, view.number), values.pop("stock")
    given = {each.name: values.pop(each.name) for each in PART_FLAGS}
    select = (
        *(Selector(css=each) for each in given["select"]),
        *(Selector(xpath=each) for each in given["xpath"]),
        *(Selector(jsonpath=each) for each in given["jsonpath"]),
        *(Selector(quote=Quote(each)) for each in given["quote"]),
    )
    return replace(
        view,
        select=(*view.select, *select),
        exclude=(*view.exclude, *(Selector(css=each) for each in given["exclude"])),
        main=given["main"] or view.main,
        attributes=(*view.attributes, *given["attribute"]),
        ignore=(*view.ignore, *given["ignore"]),
        headers=(*view.headers, *map(_header, given["header"])),
        **{name: given[name] for name in _TEXTS if given[name] is not None},
        credentials=given["credentials"] or view.credentials,
        number=number,
        stock=stock or view.stock,
    )


def _number_of_flags(values: dict[str, Any], known: NumberOptions | None) -> NumberOptions | None:
    """Return the number of the flags; any of them asks for a number, and adds to a file's."""
    is_asked = values.pop("number")
    given = {field: values.pop(name) for field, name in _NUMBER_PARTS.items()}
    said = {field: value for field, value in given.items() if value is not None}
    return replace(known or NumberOptions(), **said) if is_asked or said or known else None


def _header(text: str) -> Header:
    name, colon, value = text.partition(":")
    if not colon:
        raise typer.BadParameter(f"{text!r}: a header is NAME: VALUE", param_hint="--header")
    return Header(name.strip(), value.strip())


def _from_file(path: Path | None) -> ViewOptions:
    if path is None:
        return ViewOptions()
    from schemas.codec.json_requests import parse_object
    from schemas.codec.json_values import InvalidRequestBody, nested_value

    try:
        found = nested_value(ViewOptions, parse_object(path.read_bytes()), "view")
    except InvalidRequestBody as error:
        raise typer.BadParameter(f"{path}: {error}") from None
    assert isinstance(found, ViewOptions)
    return found
