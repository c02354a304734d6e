"""The crawl of a subscription as flags of a command."""

from inspect import Parameter
from typing import Annotated, Any

import typer

from schemas.records.crawls import MAX_DEPTH, CrawlOptions
from schemas.records.fields import RecordField, record_fields

_DEPTH = typer.Option(
    "--crawl",
    help=f"Cover the pages that are up to so many links away, too (0 to {MAX_DEPTH}).",
    metavar="DEPTH",
    min=0,
    max=MAX_DEPTH,
)
_FIELDS = record_fields(CrawlOptions)[1:]


def _flag(field: RecordField) -> Parameter:
    kind = bool if field.type is bool else field.type | None
    names = (f"--{field.name.replace('_', '-')}",)
    option = typer.Option(*names, help=f"With --crawl: {field.about.meaning}")
    default = False if field.type is bool else None
    return Parameter(
        field.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


CRAWL_FLAGS = (
    Parameter(
        "crawl",
        Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[int | None, _DEPTH],
    ),
    *map(_flag, _FIELDS),
)
"""The parameters, for Typer, by which a command is given a crawl."""


def crawl_of_flags(values: dict[str, Any]) -> CrawlOptions | None:
    """Take the values of these parameters out of a command's, and return the crawl they say.

    Raises typer.BadParameter for one of them without --crawl, or with a value that is not allowed.
    """
    depth = values.pop("crawl")
    taken = {field: values.pop(field.name) for field in _FIELDS}
    given = {field: value for field, value in taken.items() if value not in (None, False)}
    for field, value in given.items():
        name = f"--{field.name.replace('_', '-')}"
        if depth is None:
            raise typer.BadParameter(f"{name} is for a crawl: give --crawl DEPTH, too")
        if not field.allows(value):
            raise typer.BadParameter(f"{name} {value}: {field.allowed} is allowed")
    if depth is None:
        return None
    return CrawlOptions(depth, **{field.name: value for field, value in given.items()})
