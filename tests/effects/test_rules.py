"""What the checks of requests keep in memory."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest

from schemas.records.faults import Refusal
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.views import ViewOptions
from streams.agents.match.register.requests import check
from streams.effects.rules import rules
from streams.settings import Settings

SIZE = 500_000
CLIENT = Receiver("http://client.test/hook")
GOOD = Subscribe("http://document.test/", CLIENT, keywords=("word",))


@pytest.mark.parametrize(
    "large",
    [
        lambda text: Options(interval=60, content_type=text),
        lambda text: Options(interval=60, view=ViewOptions(body=text, method="POST")),
    ],
    ids=["a content type", "a view"],
)
def test_refused_requests_of_any_size_fill_no_cache(large: Callable[[str], Options]) -> None:
    allowed = rules(Settings())
    tracemalloc.start()
    try:
        for number in range(20):
            request = replace(GOOD, options=large(f"{number}" + "x" * SIZE))
            assert isinstance(check(request, allowed), Refusal)
        assert tracemalloc.get_traced_memory()[0] < 4 * SIZE, "no more than the last request"
    finally:
        tracemalloc.stop()
