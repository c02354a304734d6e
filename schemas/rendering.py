"""What a browser does with a page before it is read."""

from dataclasses import dataclass

MAX_WAIT_S = 30


@dataclass(frozen=True, slots=True)
class WaitFor:
    """What a rendered page is waited for: something to be found in it, or time.

    ``seconds`` is the longest time that is waited for the others, and the time itself if
    there are none.
    """

    selector: str | None = None
    text: str | None = None
    network_idle: bool = False
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """Something that a person would do with a page; exactly one of all but ``value`` is set.

    ``fill`` writes ``value`` into a field, ``press`` presses a key in it or anywhere.
    """

    goto: str | None = None
    click: str | None = None
    fill: str | None = None
    press: str | None = None
    wait: WaitFor | None = None
    scroll: str | None = None
    dismiss: bool = False
    value: str = ""
