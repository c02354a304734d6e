"""The view of a subscription as flags of a command: its usual parts, and a file for all of it."""

from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import typer

from schemas.records.fields import record_fields
from schemas.records.page_requests import Header
from schemas.records.views import Quote, Selector, ViewOptions
from streams.cli.jobs.number_flags import NUMBER_FLAGS, number_of_flags

_CREDENTIALS = typer.Option(
    help="Request the page with credentials of 'vokter credentials set'.", metavar="NAME"
)
_FILE = typer.Option(
    help="A file with a view as JSON; other flags add to it.",
    metavar="FILE",
    exists=True,
    dir_okay=False,
)
_MAIN = "Read only the article of an HTML page."
_TEXTS = {
    field.name: field.about.meaning
    for field in record_fields(ViewOptions)
    if field.name in ("method", "body", "user_agent", "language", "proxy")
}


def _flag(name: str, kind: Any, default: Any = None) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _list_flag(name: str, metavar: str, help_: str) -> Parameter:
    return _flag(name, Annotated[list[str], typer.Option(help=help_, metavar=metavar)], ())


VIEW_FLAGS = (
    _flag("view", Annotated[Path | None, _FILE]),
    _list_flag("select", "CSS", "Read only what this CSS selector finds; repeatable."),
    _list_flag("xpath", "XPATH", "Read only what this XPath finds; repeatable."),
    _list_flag("jsonpath", "JSONPATH", "Read only what this JSONPath finds; repeatable."),
    _list_flag("quote", "TEXT", "Read only this passage, or what becomes of it; repeatable."),
    _list_flag("exclude", "CSS", "Do not read what this CSS selector finds; repeatable."),
    _flag("main", Annotated[bool, typer.Option("--main", help=_MAIN)], default=False),
    _list_flag("attribute", "NAME", "Read the values of this attribute, too; repeatable."),
    _list_flag("ignore", "PATTERN", "Ignore what this regular expression matches; repeatable."),
    _list_flag("header", "NAME: VALUE", "Send this header; repeatable."),
    *(_flag(name, Annotated[str | None, typer.Option(help=text)]) for name, text in _TEXTS.items()),
    _flag("credentials", Annotated[str, _CREDENTIALS], ""),
    *NUMBER_FLAGS,
)
"""The parameters, for Typer, by which a command is given a view."""


def view_of_flags(values: dict[str, Any]) -> ViewOptions:
    """Take the values of these parameters out of a command's, and return the view they say.

    Raises typer.BadParameter for a file that has none, and for a header without a value.
    """
    view = _from_file(values.pop("view"))
    number = number_of_flags(values, view.number)
    own = (flag.name for flag in VIEW_FLAGS[1:] if flag not in NUMBER_FLAGS)
    given = {name: values.pop(name) for name in own}
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
    )


def _header(text: str) -> Header:
    name, colon, value = text.partition(":")
    if not colon:
        raise typer.BadParameter(f"{text!r}: a header is NAME: VALUE", param_hint="--header")
    return Header(name.strip(), value.strip())


def _from_file(path: Path | None) -> ViewOptions:
    if path is None:
        return ViewOptions()
    from schemas.codec.json_requests import parse_object  # noqa: PLC0415 - --help must not wait for it
    from schemas.codec.json_values import InvalidRequestBody, nested_value  # noqa: PLC0415 - as above

    try:
        found = nested_value(ViewOptions, parse_object(path.read_bytes()), "view")
    except InvalidRequestBody as error:
        raise typer.BadParameter(f"{path}: {error}") from None
    assert isinstance(found, ViewOptions)
    return found
