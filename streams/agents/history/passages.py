"""What of a view concerns the text itself: what patterns remove, and how safe quotes are."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.records.answers import Reading
from schemas.records.previews import IgnoredText
from schemas.records.views import Quote, Selector, View, without_quotes

MAX_FIRST = 200
"""Characters of the first text that a selector or a pattern finds."""
Readings = Mapping[View, Reading | Exception]


@dataclass(frozen=True, slots=True)
class PassageTools:
    """Finds passages of a text.

    ``matched`` returns where patterns match, ``doubt`` why a quote may lose its passage.
    """

    matched: Callable[[str, Iterable[str]], Sequence[tuple[int, int]]]
    doubt: Callable[[str, Quote], str]


def removed_texts(
    tools: PassageTools, patterns: Sequence[str], reading: Reading | Exception
) -> Iterator[IgnoredText]:
    """Yield what each pattern removes from a text that was read without them."""
    if isinstance(reading, Exception):
        return
    for at, pattern in enumerate(patterns):
        spans = tools.matched(reading.text, [pattern])
        first = reading.text[slice(*spans[0])][:MAX_FIRST] if spans else ""
        yield IgnoredText(f"view.ignore[{at}]", pattern, len(spans), first)


def views_for_doubts(view: View, others: tuple[Selector, ...] = ()) -> dict[str, View]:
    """Return in which view the text is read that quotes are sought in, by the name of their list.

    Without quotes no view is needed. ``others`` are selected if they are chosen instead.
    """
    lists = {"select": view.select, "exclude": view.exclude, "others": others}
    without = replace(view, exclude=without_quotes(view.exclude), ignore=(), number=None)
    whole = replace(without, select=())
    bases = {"select": whole, "exclude": without, "others": whole}
    return {name: bases[name] for name, found in lists.items() if without_quotes(found) != found}


def selector_doubt(tools: PassageTools, selector: Selector, reading: Reading | Exception) -> str:
    """Return why a selector may lose what it finds in a text, empty if it is no quote."""
    if selector.quote is None or isinstance(reading, Exception):
        return ""
    return tools.doubt(reading.text, selector.quote)
