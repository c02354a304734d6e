"""Tags in canonical form."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.records.tags import canonical_tag, canonical_tags


@given(st.text())
def test_the_canonical_form_of_a_canonical_tag_is_itself(text: str) -> None:
    found = canonical_tag(text)
    assert canonical_tag(found) == found
    assert canonical_tags([text, found, text.swapcase()])[:1] != ()
