"""Cut passages out of a text."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from connectors.readers.page_text import PageText
from connectors.readers.parts import Span
from schemas.records.answers import Heading


def without_spans(page: PageText, spans: Iterable[Span]) -> PageText:
    r"""Return a page without some passages; a line of which nothing is left is gone, too.

    >>> without_spans(PageText("Zeus\n12 views\nHera 3"), [(5, 13), (18, 20)]).text
    'Zeus\nHera'
    """
    cuts = merged_spans(spans)
    cuts = merged_spans([*cuts, *_emptied_lines(page.text, cuts)])
    edges = [(0, 0), *cuts, (len(page.text), len(page.text))]
    kept = (page.text[end:start] for (_, end), (start, _) in pairwise(edges))
    return replace(page, text="".join(kept), headings=tuple(_moved(page, cuts)))


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the same passages in order, merging passages which overlap or touch."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _emptied_lines(text: str, cuts: Sequence[Span]) -> Iterator[Span]:
    """Yield the lines, each with a line feed, left blank by the cuts.

    A cut across lines joins them. Each line is read once, with any number of cuts.
    """
    for inner, stop in _by_line(text, cuts):
        begin = text.rfind("\n", 0, inner[0][0]) + 1
        edges = [(begin, begin), *inner, (stop, stop)]
        if not any(text[last:first].strip() for (_, last), (first, _) in pairwise(edges)):
            yield (begin, stop + 1) if stop < len(text) else (max(0, begin - 1), stop)


def _by_line(text: str, cuts: Sequence[Span]) -> Iterator[tuple[list[Span], int]]:
    """Yield the cuts of each line, and where the line ends."""
    inner: list[Span] = []
    stop = -1
    for start, end in cuts:
        if inner and start > stop:
            yield inner, stop
            inner = []
        inner.append((start, end))
        if end > stop:
            stop = _line_end(text, end)
    if inner:
        yield inner, stop


def _moved(page: PageText, cuts: Sequence[Span]) -> Iterator[Heading]:
    """Return where the headings are of which something is left."""
    starts = [start for start, _ in cuts]
    removed = list(accumulate((end - start for start, end in cuts), initial=0))

    def moved(offset: int) -> tuple[int, int]:
        """Return an offset after the cuts, and the end of the cut at or before the offset."""
        number = bisect_right(starts, offset)
        cut_end = cuts[number - 1][1] if number else 0
        return max(offset, cut_end) - removed[number], cut_end

    for each in page.headings:
        start, cut_end = moved(each.start)
        if each.start >= cut_end or _line_end(page.text, each.start) > cut_end:
            yield replace(each, start=start, end=None if each.end is None else moved(each.end)[0])


def _line_end(text: str, start: int) -> int:
    found = text.find("\n", start)
    return len(text) if found < 0 else found
