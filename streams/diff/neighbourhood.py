"""Which edits are near enough to each other to be in one region."""

from schemas.records.changes import MAX_CONTEXT
from streams.diff.edits import LocatedEdit

_GAP = 2 * MAX_CONTEXT
MAX_SIZE = 250_000
"""Characters of both sides, with _PER_EDIT for each edit: at most 1 MB in UTF-8."""
_PER_EDIT = 20

_Stretch = tuple[int, int]


class Hull:
    """The stretches of both snapshots that some edits cover: those of one region."""

    def __init__(self) -> None:
        """Cover nothing."""
        self._old: _Stretch | None = None
        self._new: _Stretch | None = None
        self._edits = 0
        self._is_closed = False

    def takes(self, edit: LocatedEdit) -> bool:
        """Cover an edit as well; or return False if it is too far away, or there is no room."""
        removed, added = edit.removed, edit.added
        old = _joined(self._old, removed.start, removed.end) if removed else self._old
        start, end = (added.start, added.end) if added else (edit.at, edit.at)
        new = _joined(self._new, start, end)
        if self._edits and (
            self._is_closed
            or edit.alone
            or _added(self._old, old) - (removed.end - removed.start if removed else 0) > _GAP
            or _added(self._new, new) - (end - start) > _GAP
            or _length(old) + _length(new) + _PER_EDIT * self._edits > MAX_SIZE
        ):
            return False
        self._old, self._new = old, new
        self._edits += 1
        self._is_closed = edit.alone
        return True


def _joined(covered: _Stretch | None, start: int, end: int) -> _Stretch:
    if covered is None:
        return start, end
    return min(covered[0], start), max(covered[1], end)


def _added(before: _Stretch | None, after: _Stretch | None) -> int:
    """Count the characters by which a stretch has grown, none if there was none."""
    return _length(after) - _length(before) if before else 0


def _length(stretch: _Stretch | None) -> int:
    return stretch[1] - stretch[0] if stretch else 0
