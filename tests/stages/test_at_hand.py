"""What a fetch worker keeps at hand of its documents."""

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from streams.core.ids import content_id
from streams.fetch.at_hand import AtHand
from streams.fetch.visit import Known

MANY = 10_000
EACH = 400
"""Bytes: an address of 33, a watch of 32 and an ETag, with what Python adds to them."""
URL = "http://127.0.0.1:40000/page/10000"

texts = st.none() | st.text()
times = st.integers(0, 2**63)
knowns = st.builds(
    Known, st.text(), times, times, texts, texts, texts, st.none() | st.binary(),
    st.integers(0, 100), times,
)  # fmt: skip


@given(known=knowns)
def test_what_is_kept_is_found_as_it_was(known: Known) -> None:
    at_hand = AtHand()
    at_hand.keep(URL, known)
    assert at_hand.get(URL) == known
    assert len(at_hand) == 1


@given(known=knowns)
def test_of_what_is_not_known_any_more_nothing_is_kept(known: Known) -> None:
    at_hand = AtHand()
    at_hand.keep(URL, known)
    at_hand.keep(URL, None)
    assert at_hand.get(URL) is None
    assert len(at_hand) == 0


def test_a_document_takes_little_memory() -> None:
    at_hand = AtHand()
    tracemalloc.start()
    for number in range(MANY):
        etag, body_hash = f'"{number}-1"', number.to_bytes(16, "big")
        known = Known(content_id(number), number, number, "text/html", etag, None, body_hash, 0)
        at_hand.keep(f"http://127.0.0.1:40000/page/{number + MANY}", known)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < MANY * EACH
