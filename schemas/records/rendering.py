"""Actions of a browser on a page before the reading."""

from dataclasses import dataclass
from typing import Annotated

from schemas.records.credentials import SecretName
from schemas.records.fields import About
from schemas.records.urls import MAX_URL

MAX_WAIT_S = 30
MAX_STEPS = 30
MAX_SELECTOR = 1_000
"""Characters of a selector, of an awaited text, or of a written value."""
MAX_KEY = 50

Found = Annotated[str | None, About(least=1, most=MAX_SELECTOR, unit="characters")]


@dataclass(frozen=True, slots=True)
class WaitFor:
    """The end of waiting for a rendered page: something in the page, or time.

    ``seconds`` is the longest wait for the others (10 by default), or the wait if there are none.
    """

    selector: Found = None
    text: Found = None
    network_idle: bool = False
    seconds: Annotated[int | None, About(least=1, most=MAX_WAIT_S, unit="seconds")] = None


@dataclass(frozen=True, slots=True)
class Step:
    """An action of a person on a page; exactly one of all but ``value`` is set.

    ``fill`` writes into a field: ``value``, or the ``secret`` of this name from the credentials.
    ``press`` presses a key, ``scroll`` shows an element, ``top`` or ``bottom``, and ``dismiss``
    closes a consent banner.
    """

    goto: Annotated[str | None, About(least=1, most=MAX_URL, unit="characters")] = None
    click: Found = None
    fill: Found = None
    press: Annotated[str | None, About(least=1, most=MAX_KEY, unit="characters")] = None
    wait: WaitFor | None = None
    scroll: Found = None
    dismiss: bool = False
    value: Annotated[str, About(most=MAX_SELECTOR, unit="characters")] = ""
    secret: SecretName = ""

    def kinds(self) -> list[str]:
        """Return the kinds of the step; a single kind, if valid."""
        kinds = ("goto", "click", "fill", "press", "wait", "scroll", "dismiss")
        return [kind for kind in kinds if getattr(self, kind) not in (None, False)]


Steps = Annotated[
    tuple[Step, ...], About(most_items=MAX_STEPS, allowed=f"at most {MAX_STEPS} steps")
]


@dataclass(frozen=True, slots=True)
class Rendering:
    """The way of a browser to a page: its steps, and then the end of its waiting.

    With ``screenshot`` the browser takes a picture of the page.
    """

    wait_for: WaitFor | None = None
    steps: Steps = ()
    screenshot: bool = False
