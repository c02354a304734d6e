"""Times as REST and the page read and show them."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from schemas.codec.times import epoch_ms, rfc3339


@given(st.datetimes(timezones=st.timezones()))
@example(datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-23))))
@example(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=23))))
def test_each_time_that_can_be_read_can_be_shown(moment: datetime) -> None:
    try:
        time = epoch_ms(moment.isoformat())
    except ValueError:
        return
    assert abs(epoch_ms(rfc3339(time)) - time) <= 1, "floats are not exact in far years"


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59"])
def test_a_time_that_has_no_year_in_utc_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="out of range"):
        epoch_ms(text)
