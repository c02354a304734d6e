"""What a worker keeps at hand of very many documents, packed: objects take twice the memory."""

import marshal
from dataclasses import fields
from operator import attrgetter

from streams.fetch.visit import Known

_values = attrgetter(*(field.name for field in fields(Known)))


class AtHand:
    """What is known of each document, by its URL."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}

    def __len__(self) -> int:
        return len(self._packed)

    def get(self, url: str) -> Known | None:
        """Give what is known of a document, if it is at hand."""
        packed = self._packed.get(url)
        return None if packed is None else Known(*marshal.loads(packed))  # noqa: S302 - our own

    def keep(self, url: str, known: Known | None) -> None:
        """Keep what is known of a document, in place of what was; None: nothing is."""
        if known is None:
            self._packed.pop(url, None)
        else:
            self._packed[url] = marshal.dumps(_values(known))

    def clear(self) -> None:
        """Keep nothing."""
        self._packed.clear()
