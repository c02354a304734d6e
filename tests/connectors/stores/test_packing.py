"""What is stored is small, comes back as it was, and was perhaps stored by an earlier release."""

import json
import zlib
from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from connectors.stores.packing import pack, pack_fact, parse_fact, unpack, unpack_fact
from schemas.records.deliveries import Delivered

DELIVERED = Delivered("n", "s", "m", "https://c.test/hook", 1, 200, 1, answer='thanks "Io"')


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_a_text_comes_back_even_with_lone_surrogates(text: str) -> None:
    assert unpack(pack(text)) == text


def test_what_an_earlier_release_stored_is_read() -> None:
    assert unpack(zlib.compress(b"Zeus", 1)) == "Zeus"


def test_a_fact_comes_back_with_its_kind_first() -> None:
    packed = pack_fact(DELIVERED)
    assert unpack_fact(packed) == DELIVERED
    assert next(iter(json.loads(unpack(packed)).items())) == ("fact", "Delivered")


def test_a_fact_with_a_lone_surrogate_comes_back() -> None:
    fact = Delivered("n", "s", "\ud800", "https://c.test/hook", 1, 200, 1)
    assert parse_fact(unpack(pack_fact(fact))) == fact


def test_a_text_that_repeats_itself_is_stored_in_a_hundredth() -> None:
    text = "The giant with a hundred eyes guards the cow Io. " * 1_000
    assert len(pack(text)) < len(text) / 100


def test_threads_may_pack_at_the_same_time() -> None:
    texts = [f"giant {n} " * 20_000 for n in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(unpack, pool.map(pack, texts))) == texts
