"""Texts from the templates of a channel's owner, in Jinja2's sandbox."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_TEMPLATE = 10_000
"""Characters of a template."""
MAX_TEXT = 30_000
"""Characters of its result: the rest is cut off."""
_MAX_REASON = 200


class TemplateFailed(Exception):
    """A template is none, or cannot be filled in; the text says why."""


def check_template(template: str) -> None:
    """Raise TemplateFailed unless a text is a template. Nothing in the template is evaluated."""
    if len(template) > MAX_TEMPLATE:
        raise TemplateFailed(f"{len(template)} characters; {MAX_TEMPLATE} are allowed")
    try:
        _environment().parse(template)
    except (TemplateError, RecursionError) as error:
        raise _failed(error) from None


def compiled(template: str) -> Callable[[Mapping[str, Any]], str]:
    """Return the function to fill in a template, for repeated use; raises TemplateFailed.

    Its calls may take any time and memory: only make them in a child process.

    >>> compiled("{{ title }} has {{ diffs | length }} news")({"title": "Io", "diffs": [1]})
    'Io has 1 news'
    """
    with _failures():
        pieces = _environment().from_string(template).generate

    def fill_in(values: Mapping[str, Any]) -> str:
        found, size = list[str](), 0
        with _failures():
            for piece in pieces(values):
                found.append(piece)
                size += len(piece)
                if size > MAX_TEXT:
                    break
        return "".join(found)[:MAX_TEXT]

    return fill_in


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise TemplateFailed("it takes too much memory") from None
    except Exception as error:  # noqa: BLE001  # an expression may raise anything
        raise _failed(error) from None


def _environment() -> ImmutableSandboxedEnvironment:
    # Plain text: Apprise escapes it where a service wants HTML.
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


def _failed(error: Exception) -> TemplateFailed:
    line = getattr(error, "lineno", None)
    where = f"line {line}: " if line else ""
    return TemplateFailed(f"{where}{error}"[:_MAX_REASON] or type(error).__name__)
