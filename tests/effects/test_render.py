"""What the render agent does around its browser."""

from pathlib import Path
from typing import Any

import pytest

from connectors.browser.page_pictures import MAX_KEPT, keep_picture
from connectors.browser.steps import StepFailed
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering, Step
from streams.effects.browser import Rendered, VisitRules
from streams.effects.connections import egress_policy
from streams.settings import Settings

URL = "https://d.test/"
STEPS = Rendering(steps=(Step(click="#go"),))


class FailingBrowser:
    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def render(self, *asked: Any) -> None:
        self.asked.append(asked)
        raise StepFailed("step 1", b"a picture")


async def test_a_failed_step_leaves_a_picture_and_the_failure(tmp_path: Path) -> None:
    browser, rules = FailingBrowser(), VisitRules(EgressGuard(EgressPolicy()), None)
    source = Rendered(browser, {"": rules}, tmp_path / "pictures")  # type: ignore[arg-type]  # a fake
    with pytest.raises(StepFailed, match="step 1"):
        await source.get(asked := PageQuery(URL, "etag", None, [404], PageRequest(rendering=STEPS)))
    assert browser.asked == [(asked, None)]
    (picture,) = (tmp_path / "pictures").iterdir()
    assert picture.read_bytes() == b"a picture"


def test_a_page_cannot_connect_to_the_port_that_controls_its_browser() -> None:
    remote = "http://10.0.0.9:9222"
    policy = egress_policy(Settings(browser=remote, allow_private="10.0.0.0/8"))
    assert policy.refusal("10.0.0.9", 9222) is not None
    assert policy.refusal("10.0.0.9", 9223) is None


def test_only_the_newest_pictures_are_kept(tmp_path: Path) -> None:
    paths = [keep_picture(tmp_path, f"{URL}{number}", b"a") for number in range(MAX_KEPT + 3)]
    assert len(list(tmp_path.iterdir())) == MAX_KEPT
    assert paths[-1].exists()


async def test_what_the_policy_refuses_is_asked_of_no_server() -> None:
    rules = VisitRules(EgressGuard(EgressPolicy()), None)
    with pytest.raises(FetchFailed, match="private or reserved"):
        await rules.refusal("http://127.0.0.1/")
    assert await rules.refusal(URL) is None
    assert rules.delay("d.test") == 0
