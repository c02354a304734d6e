"""``vokter`` on Faust without its compiled part; a Faust stream would end the process."""

import os
from typing import Any

os.environ["NO_CYTHON"] = "1"

from faust import streams, windows  # after the variable that they read

from streams.cli import main

STATUS = 98


def refuse(*_: Any, **__: Any) -> None:
    os._exit(STATUS)


if __name__ == "__main__":
    assert vars(streams)["_CStreamIterator"] is None
    assert windows.HoppingWindow.__module__ == "faust.windows"
    streams.Stream.__init__ = refuse  # type: ignore[method-assign]  # what this is for
    main()
