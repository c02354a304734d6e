"""The ids of tests, which stand in each message between the processes of a run."""

import pytest


def test_no_id_of_a_test_is_longer_than_a_page(request: pytest.FixtureRequest) -> None:
    ids = [item.nodeid for item in request.session.items]
    assert [each[:200] for each in ids if len(each) > 1000] == []
